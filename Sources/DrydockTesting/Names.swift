import Drydock

// A test target names these without importing the core.
public typealias Declaration = Drydock.Declaration
public typealias VerifyReport = Drydock.VerifyReport
public typealias Finding = Drydock.Finding
public typealias Rule = Drydock.Rule
public typealias RequestError = Drydock.RequestError
