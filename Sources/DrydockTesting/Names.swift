import Drydock

// A test target uses these names without importing Drydock.
public typealias Declaration = Drydock.Declaration
public typealias VerifyReport = Drydock.Report
public typealias Finding = Drydock.Finding
public typealias Rule = Drydock.Rule
public typealias RequestError = Drydock.RequestError
