import CastModels

/// The error of framing and transport, declared here for modules that do not import the models.
package typealias CastError = CastModels.CastError
