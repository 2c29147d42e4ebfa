@_exported import CastModels
@_exported import MediaFindings
