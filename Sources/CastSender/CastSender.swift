@_exported import CastModels
