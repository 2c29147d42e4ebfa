/// A large value behind one reference, so that what holds it is copied at that cost. Changing one copy leaves the others as they are.
@propertyWrapper
@frozen
public struct Shared<Value: Sendable>: Sendable {
    @usableFromInline var storage: Storage

    /// Sendable, because only a sole owner changes `value`: every setter makes another one for the rest.
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

    /// Whether both are copies of one value: then they are equal, which is found without a look at it.
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
