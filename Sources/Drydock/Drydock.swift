// The library for apps: what the targets below it offer.

@_exported import DrydockFindings
@_exported import DrydockFiles
@_exported import DrydockMigrations
@_exported import DrydockState
@_exported import DrydockConservation
@_exported import DrydockReplay
@_exported import DrydockLibraries
@_exported import DrydockCrash
@_exported import DrydockLock
@_exported import DrydockLint
@_exported import DrydockDiff
@_exported import DrydockMaintenance
@_exported import DrydockVerify
@_exported import DrydockShrink
@_exported import DrydockMigrate
@_exported import DrydockSnapshots
@_exported import DrydockFleet
@_exported import DrydockProbes
@_exported import DrydockWatch
