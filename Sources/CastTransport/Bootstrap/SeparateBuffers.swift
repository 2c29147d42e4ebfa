import Glibc
@_spi(CustomByteBufferAllocator) import NIOCore

extension ByteBufferAllocator {
    /// Gives large buffers pages of their own, of which only those take memory that are written to.
    ///
    /// Each TLS link has a buffer of 32 KiB for what it receives and one of 16 KiB for what it sends, and uses the first 2 KiB of them. malloc
    /// would put them into room that other blocks have left, whose pages stay in memory: with 500 devices that reconnect again and again,
    /// up to 16 MiB.
    static let separate = ByteBufferAllocator(
        allocate: { SeparateBlock.allocate($0) },
        reallocate: { SeparateBlock.reallocate($0, $1, $2) },
        deallocate: { SeparateBlock.deallocate($0) },
        copy: { $0.copyMemory(from: $1, byteCount: $2) })
}

/// A block with a header that holds the size of its pages; 0 for a small one, which is malloc's.
private enum SeparateBlock {
    static let smallest = 16 << 10
    /// Keeps the alignment of malloc.
    static let header = 16

    static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        let whole = size + Self.header
        let isSeparate = size >= Self.smallest
        guard
            let block = isSeparate
                ? mmap(nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : malloc(whole), block != MAP_FAILED
        else { return nil }
        block.storeBytes(of: isSeparate ? whole : 0, as: Int.self)
        return block + Self.header
    }

    static func reallocate(_ former: UnsafeMutableRawPointer?, _ formerSize: Int, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let former else { return self.allocate(size) }
        if formerSize < Self.smallest, size < Self.smallest {
            return realloc(former - Self.header, size + Self.header).map { $0 + Self.header }
        }
        guard let block = self.allocate(size) else { return nil }
        block.copyMemory(from: former, byteCount: min(formerSize, size))
        self.deallocate(former)
        return block
    }

    static func deallocate(_ pointer: UnsafeMutableRawPointer) {
        let block = pointer - Self.header
        let pages = block.load(as: Int.self)
        if pages > 0 { munmap(block, pages) } else { free(block) }
    }
}
