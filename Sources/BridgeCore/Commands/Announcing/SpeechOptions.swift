/// How texts become sound; without a program and an address the bridge has no voice.
public struct SpeechOptions: Sendable, Hashable {
    /// A program and its arguments, started without a shell: the text is its standard input, WAV, MP3 or Ogg its standard output.
    public var command: [String] = []
    /// The address of a sound, with `{text}` and `{language}`.
    public var url: String?
    /// The language of texts that name none.
    public var language = "en"

    public init() {}
}
