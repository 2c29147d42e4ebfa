@_exported import CastModels
@_exported import NetworkReach
