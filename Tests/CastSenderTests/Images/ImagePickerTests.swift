import CastModels
import CastSender
import Testing

@Suite struct ImagePickerTests {
    private static let images = [
        MediaImage(url: "small", width: 100, height: 100), MediaImage(url: "square", width: 640, height: 640),
        MediaImage(url: "wide", width: 1280, height: 720), MediaImage(url: "huge", width: 3840, height: 2160),
        MediaImage(url: "poster", width: 480, height: 720), MediaImage(url: "unknown"),
    ]

    static let places: [(ImageHints, String)] = [
        (ImageHints(.miniController), "square"), (ImageHints(.miniController, width: 64, height: 64), "small"),
        (ImageHints(.miniController, width: 90, height: 90), "small"), (ImageHints(.thumbnail), "square"),
        (ImageHints(.expandedController), "wide"), (ImageHints(.background), "huge"),
        (ImageHints(.expandedController, width: 300, height: 450), "poster"), (ImageHints(.background, width: 7680, height: 4320), "huge"),
        (ImageHints(.thumbnail, width: 0, height: -5), "small"),
    ]

    @Test("the picture that needs no enlarging, of the nearest shape, and then the smallest", arguments: Self.places)
    func picks(hints: ImageHints, url: String) {
        #expect(BestFitImagePicker().image(for: hints, of: MediaMetadata(images: Self.images))?.url == url)
        #expect(BestFitImagePicker().image(for: hints, of: MediaMetadata(images: Self.images.reversed()))?.url == url)
    }

    @Test("pictures of unknown size are selected in order when there is no other, then the poster", arguments: ImageHints.Purpose.allCases)
    func unknownSizes(purpose: ImageHints.Purpose) {
        let picker = BestFitImagePicker()
        let hints = ImageHints(purpose)
        #expect(
            picker.image(for: hints, of: MediaMetadata(images: [MediaImage(url: "a"), MediaImage(url: "b", width: 0, height: 9)]))?.url
                == "a")
        #expect(
            picker.image(for: hints, of: MediaMetadata(images: [MediaImage(url: "a"), MediaImage(url: "b", width: 9, height: 9)]))?.url
                == "b")
        #expect(picker.image(for: hints, of: MediaMetadata(fields: ["posterUrl": "p"]))?.url == "p")
        #expect(picker.image(for: hints, of: MediaMetadata()) == nil)
    }

    @Test("absurd sizes are survived")
    func absurd() {
        let images = [
            MediaImage(url: "thin", width: .max, height: 1), MediaImage(url: "dot", width: 1, height: 1),
            MediaImage(url: "ok", width: 128, height: 128),
        ]
        #expect(BestFitImagePicker().image(for: ImageHints(.miniController), of: MediaMetadata(images: images))?.url == "ok")
        #expect(BestFitImagePicker().image(for: ImageHints(.background, width: .max, height: 1), of: MediaMetadata(images: images)) != nil)
    }
}
