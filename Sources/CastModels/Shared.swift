/// A property wrapper that keeps a large value behind one reference, so that copying the owner is cheap. Changing one copy leaves the
/// others unchanged.
///
/// Without it, `MediaStatus` and `MediaInformation` alone double the instructions of a pause.
@propertyWrapper
@frozen
public struct Shared<Value: Sendable>: Sendable {
    @usableFromInline var storage: Storage

    /// Sendable, because only a sole owner changes `value`; the setter copies it for every other owner.
    @usableFromInline
    final class Storage: @unchecked Sendable {
        @usableFromInline var value: Value

        @inlinable init(_ value: Value) { self.value = value }
    }

    @inlinable public init(wrappedValue: Value) { self.storage = Storage(wrappedValue) }

    @inlinable public var wrappedValue: Value {
        _read { yield self.storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&self.storage) { self.storage = Storage(self.storage.value) }
            yield &self.storage.value
        }
    }

    /// Returns whether both are copies of one value. Copies are equal, and this check does not read the value.
    package func isCopy(of other: Self) -> Bool { self.storage === other.storage }
}

extension Shared: Equatable where Value: Equatable {
    @inlinable public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.storage.value == right.storage.value
    }
}

extension Shared: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(self.storage.value) }
}
