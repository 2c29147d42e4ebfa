/// A large value behind one reference, so that what holds it is copied at that cost. Changing one copy leaves the others as they are.
@propertyWrapper
public struct Shared<Value: Sendable & Hashable>: Sendable, Hashable {
    /// Exactly one element: an array copies itself when one of several owners changes it.
    private var value: [Value]

    /// Copies of one value are equal, which is found without a look at it.
    public static func == (left: Self, right: Self) -> Bool {
        let isCopy = left.value.withUnsafeBufferPointer { left in
            right.value.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress }
        }
        return isCopy || left.value[0] == right.value[0]
    }

    public init(wrappedValue: Value) { self.value = [wrappedValue] }

    public var wrappedValue: Value {
        _read { yield self.value[0] }
        _modify { yield &self.value[0] }
    }
}
