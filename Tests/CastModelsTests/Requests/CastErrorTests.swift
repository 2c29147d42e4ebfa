import CastModels
import Testing

@Suite struct CastErrorTests {
    @Test("every code of the SDK has its number and a name of its own")
    func codes() {
        let numbers = Array(1...34) + Array(40...48) + [91, 92, 93, 99, 100, 101, 102, 103]
        let names = numbers.map { CastError.Code(rawValue: $0).description }
        #expect(names.filter { $0.hasPrefix("code ") } == [])
        #expect(Set(names).count == numbers.count)
        #expect(CastError.Code(rawValue: 4711).description == "code 4711")
    }

    @Test(
        "the receiver's detailed code is explained, and so is what follows it",
        arguments: [
            (104, "MEDIA_SRC_NOT_SUPPORTED", nil), (905, "LOAD_FAILED", nil), (909, "GENERIC", nil), (999, "GENERIC", nil),
            (301404, "SEGMENT_NETWORK", 404), (3110, "HLS_NETWORK_MASTER_PLAYLIST", 0), (7, nil, nil), (777, nil, nil), (-1, nil, nil),
            (Int.max, nil, nil),
        ] as [(Int, String?, Int?)])
    func detailed(number: Int, name: String?, suffix: Int?) {
        let code = DetailedErrorCode(rawValue: number)
        #expect(code.name == name)
        #expect(code.suffix == suffix)
        #expect((code.words == nil) == (name == nil))
        #expect(code.description.hasPrefix("\(number)"))
    }

    @Test("an error describes code, argument, reason, detailed code and detail, as far as it has them")
    func description() {
        #expect(CastError(.timeout).description == "timeout")
        #expect(CastError(.invalidRequest, detail: "0 to 1", argument: "level").description == "invalid request level: 0 to 1")
        let failed = CastError(.mediaLoadFailed, detail: "LOAD_FAILED", reason: "APP_ERROR", detailedErrorCode: 103)
        #expect(failed.description == "media load failed (APP_ERROR) [103, the media could not be fetched]: LOAD_FAILED")
        #expect(failed.detailedError?.name == "MEDIA_NETWORK")
        #expect(CastError(.timeout).detailedError == nil)
    }
}
