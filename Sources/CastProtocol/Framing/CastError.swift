import CastModels

/// What framing and transport throw, named here for the modules that know nothing of the models.
package typealias CastError = CastModels.CastError
