/// The documents of each `Scenario`, without `ts`.
enum ExpectedDocuments {
    static let all: [(scenario: Scenario, document: String, payload: String)] = [
        (
            .neverReached, "state",
            #"""
            {"schema":1,"player":"unknown","idle_reason":null,"app":{"id":null,"name":null,"source":null,"status_text":null,\#
            "idle_screen":false},"volume":{"percent":null,"level":null,"muted":null,"control":null,"step":null},\#
            "media":{"session":null,"kind":null,"title":null,"artist":null,"album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,\#
            "season":null,"episode":null,"content_id":null,"content_type":null,"live":null,"duration":null,"position":null,\#
            "position_at":null,"ends_at":null,"rate":null,"image":null},"queue":{"index":null,"length":null,"repeat":null,\#
            "shuffle":null,"has_next":false,"has_previous":false},"tracks":{"text":null,"audio":null,"video":null},\#
            "ad":{"playing":false,"skippable":false,"skippable_at":null,\#
            "break":null,"clip":null,"index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},"can":[],"preset":null,"sleep_at":null,"standby":null,"active_input":null,\#
            "group":{"id":null,"name":null,"role":"none"},"busy":false,"available":false}
            """#
        ),
        (
            .idle, "state",
            #"""
            {"schema":1,"player":"idle","idle_reason":null,"app":{"id":"CC1AD845","name":"Default Media Receiver",\#
            "source":"Default Media Receiver","status_text":"Casting","idle_screen":false},"volume":{"percent":34,"level":0.34,\#
            "muted":false,"control":"attenuation","step":0.02},"media":{"session":null,"kind":null,"title":null,"artist":null,\#
            "album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,"season":null,"episode":null,"content_id":null,"content_type":null,\#
            "live":null,"duration":null,"position":null,"position_at":null,"ends_at":null,"rate":null,"image":null},\#
            "queue":{"index":null,"length":null,"repeat":null,"shuffle":null,"has_next":false,"has_previous":false},\#
            "tracks":{"text":null,"audio":null,"video":null},"ad":{"playing":false,"skippable":false,"skippable_at":null,\#
            "break":null,"clip":null,"index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},\#
            "can":["volume","mute"],"preset":null,"sleep_at":null,"standby":false,"active_input":true,"group":{"id":null,"name":null,"role":"none"},"busy":false,"available":true}
            """#
        ),
        (
            .off, "state",
            #"""
            {"schema":1,"player":"off","idle_reason":null,"app":{"id":"E8C28D3C","name":"Backdrop","source":null,\#
            "status_text":null,"idle_screen":true},"volume":{"percent":34,"level":0.34,"muted":false,"control":"attenuation",\#
            "step":0.02},"media":{"session":null,"kind":null,"title":null,"artist":null,"album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,\#
            "series":null,"season":null,"episode":null,"content_id":null,"content_type":null,"live":null,"duration":null,\#
            "position":null,"position_at":null,"ends_at":null,"rate":null,"image":null},"queue":{"index":null,"length":null,\#
            "repeat":null,"shuffle":null,"has_next":false,"has_previous":false},"tracks":{"text":null,"audio":null,"video":null},\#
            "ad":{"playing":false,"skippable":false,"skippable_at":null,\#
            "break":null,"clip":null,"index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},"can":["volume","mute"],"preset":null,"sleep_at":null,"standby":false,\#
            "active_input":true,"group":{"id":null,"name":null,"role":"none"},"busy":false,"available":true}
            """#
        ),
        (
            .music, "state",
            #"""
            {"schema":1,"player":"playing","idle_reason":null,"app":{"id":"CC1AD845","name":"Default Media Receiver",\#
            "source":"Default Media Receiver","status_text":"Casting","idle_screen":false},"volume":{"percent":34,"level":0.34,\#
            "muted":false,"control":"attenuation","step":0.02},"media":{"session":7,"kind":"music","title":"Harbour Lights",\#
            "artist":"Example Trio","album":"Night Ferry","album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,"season":null,"episode":null,\#
            "content_id":"http://192.168.1.5/harbour.mp3","content_type":"audio/mpeg","live":false,"duration":241.5,\#
            "position":63.2,"position_at":"2026-11-21T14:03:22.400Z","ends_at":"2026-11-21T14:06:20.700Z","rate":1,\#
            "image":"http://192.168.1.5/harbour.jpg"},"queue":{"index":3,"length":20,"repeat":"off","shuffle":false,\#
            "has_next":true,"has_previous":true},"tracks":{"text":null,"audio":"English","video":null},"ad":{"playing":false,\#
            "skippable":false,"skippable_at":null,\#
            "break":null,"clip":null,"index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},"can":["pause","seek","next","previous","volume","mute"],"preset":null,"sleep_at":null,"standby":false,\#
            "active_input":true,"group":{"id":null,"name":null,"role":"none"},"busy":true,"available":true}
            """#
        ),
        (
            .television, "state",
            #"""
            {"schema":1,"player":"playing","idle_reason":null,"app":{"id":"CC1AD845","name":"Default Media Receiver",\#
            "source":"Default Media Receiver","status_text":"Casting","idle_screen":false},"volume":{"percent":34,"level":0.34,\#
            "muted":false,"control":"attenuation","step":0.02},"media":{"session":7,"kind":"tv_show","title":"The Lighthouse",\#
            "artist":null,"album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,"series":"Example Series","season":2,"episode":5,\#
            "content_id":"http://192.168.1.5/s2e5.mp4","content_type":"video/mp4","live":false,"duration":2641.5,"position":63.2,\#
            "position_at":"2026-11-21T14:03:22.400Z","ends_at":"2026-11-21T14:46:20.700Z","rate":1,\#
            "image":"http://192.168.1.5/s2e5.jpg"},"queue":{"index":null,"length":null,"repeat":null,"shuffle":null,\#
            "has_next":false,"has_previous":false},"tracks":{"text":null,"audio":null,"video":null},"ad":{"playing":false,\#
            "skippable":false,"skippable_at":null,\#
            "break":null,"clip":null,"index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},"can":["pause","seek","volume","mute"],"preset":null,"sleep_at":null,"standby":false,"active_input":true,\#
            "group":{"id":null,"name":null,"role":"none"},"busy":true,"available":true}
            """#
        ),
        (
            .live, "state",
            #"""
            {"schema":1,"player":"playing","idle_reason":null,"app":{"id":"CC1AD845","name":"Default Media Receiver",\#
            "source":"Default Media Receiver","status_text":"Casting","idle_screen":false},"volume":{"percent":34,"level":0.34,\#
            "muted":false,"control":"attenuation","step":0.02},"media":{"session":7,"kind":"unknown","title":"News","artist":null,\#
            "album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,"season":null,"episode":null,"content_id":"https://live.example/news.m3u8",\#
            "content_type":"application/x-mpegURL","live":true,"duration":null,"position":1790,\#
            "position_at":"2026-11-21T14:03:22.400Z","ends_at":null,"rate":1,"image":null},"queue":{"index":null,"length":null,\#
            "repeat":null,"shuffle":null,"has_next":false,"has_previous":false},"tracks":{"text":null,"audio":null,"video":null},\#
            "ad":{"playing":false,"skippable":false,"skippable_at":null,\#
            "break":null,"clip":null,"index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},"can":["pause","volume","mute"],"preset":null,"sleep_at":null,"standby":false,\#
            "active_input":true,"group":{"id":null,"name":null,"role":"none"},"busy":true,"available":true}
            """#
        ),
        (
            .advertisement, "state",
            #"""
            {"schema":1,"player":"playing","idle_reason":null,"app":{"id":"CC1AD845","name":"Default Media Receiver",\#
            "source":"Default Media Receiver","status_text":"Casting","idle_screen":false},"volume":{"percent":34,"level":0.34,\#
            "muted":false,"control":"attenuation","step":0.02},"media":{"session":7,"kind":"music","title":"Harbour Lights",\#
            "artist":"Example Trio","album":"Night Ferry","album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,"season":null,"episode":null,\#
            "content_id":"http://192.168.1.5/harbour.mp3","content_type":"audio/mpeg","live":false,"duration":241.5,\#
            "position":63.2,"position_at":"2026-11-21T14:03:22.400Z","ends_at":null,"rate":1,\#
            "image":"http://192.168.1.5/harbour.jpg"},"queue":{"index":null,"length":null,"repeat":null,"shuffle":null,\#
            "has_next":false,"has_previous":false},"tracks":{"text":null,"audio":null,"video":null},"ad":{"playing":true,\#
            "skippable":false,"skippable_at":"2026-11-21T14:03:24.900Z",\#
            "break":"b1","clip":"c1","index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},"can":["volume","mute"],"preset":null,"sleep_at":null,"standby":false,\#
            "active_input":true,"group":{"id":null,"name":null,"role":"none"},"busy":true,"available":true}
            """#
        ),
        (
            .offline, "state",
            #"""
            {"schema":1,"player":"unknown","idle_reason":null,"app":{"id":"CC1AD845","name":"Default Media Receiver",\#
            "source":"Default Media Receiver","status_text":"Casting","idle_screen":false},"volume":{"percent":34,"level":0.34,\#
            "muted":false,"control":"attenuation","step":0.02},"media":{"session":7,"kind":"music","title":"Harbour Lights",\#
            "artist":"Example Trio","album":"Night Ferry","album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,"season":null,"episode":null,\#
            "content_id":"http://192.168.1.5/harbour.mp3","content_type":"audio/mpeg","live":false,"duration":241.5,\#
            "position":63.2,"position_at":"2026-11-21T14:03:22.400Z","ends_at":"2026-11-21T14:06:20.700Z","rate":1,\#
            "image":"http://192.168.1.5/harbour.jpg"},"queue":{"index":3,"length":20,"repeat":"off","shuffle":false,\#
            "has_next":true,"has_previous":true},"tracks":{"text":null,"audio":"English","video":null},"ad":{"playing":false,\#
            "skippable":false,"skippable_at":null,\#
            "break":null,"clip":null,"index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},"can":["pause","seek","next","previous","volume","mute"],"preset":null,"sleep_at":null,"standby":false,\#
            "active_input":true,"group":{"id":null,"name":null,"role":"none"},"busy":false,"available":false}
            """#
        ),
        (
            .group, "state",
            #"""
            {"schema":1,"player":"off","idle_reason":null,"app":{"id":null,"name":null,"source":null,"status_text":null,\#
            "idle_screen":false},"volume":{"percent":20,"level":0.2,"muted":false,"control":"fixed","step":null},\#
            "media":{"session":null,"kind":null,"title":null,"artist":null,"album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,\#
            "season":null,"episode":null,"content_id":null,"content_type":null,"live":null,"duration":null,"position":null,\#
            "position_at":null,"ends_at":null,"rate":null,"image":null},"queue":{"index":null,"length":null,"repeat":null,\#
            "shuffle":null,"has_next":false,"has_previous":false},"tracks":{"text":null,"audio":null,"video":null},\#
            "ad":{"playing":false,"skippable":false,"skippable_at":null,\#
            "break":null,"clip":null,"index":null,"clips":null,"clip_duration":null,"clip_ends_at":null,"break_duration":null,"break_ends_at":null,"poster":null,"click_url":null},"can":[],"preset":null,"sleep_at":null,"standby":null,"active_input":null,\#
            "group":{"id":"9b8c7d6e5f4a4b3c8d2e1f0a9b8c7d6e","name":"Whole House","role":"leader"},"busy":false,"available":true}
            """#
        ),
        (
            .idle, "media",
            #"""
            {"schema":1,"session":null,"kind":null,"title":null,"artist":null,"album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,\#
            "season":null,"episode":null,"content_id":null,"content_type":null,"live":null,"duration":null,"position":null,\#
            "position_at":null,"ends_at":null,"rate":null,"image":null,\#
            "device":"living-room","player":"idle","idle_reason":null,"item":null,"content_url":null,"entity":null,\#
            "stream":null,"metadata_type":null,"metadata":{},"images":[],"live_range":null,"volume":{"level":null,"muted":null},\#
            "video":{"width":null,"height":null,"hdr":null},"breaks":[],"break_clips":[],"supported_commands":{"mask":null,\#
            "names":[]},"custom_data":null}
            """#
        ),
        (
            .music, "media",
            #"""
            {"schema":1,"session":7,"kind":"music","title":"Harbour Lights","artist":"Example Trio","album":"Night Ferry","album_artist":null,"track":null,"disc":null,\#
            "subtitle":null,"series":null,"season":null,"episode":null,"content_id":"http://192.168.1.5/harbour.mp3",\#
            "content_type":"audio/mpeg","live":false,"duration":241.5,"position":63.2,"position_at":"2026-11-21T14:03:22.400Z",\#
            "ends_at":"2026-11-21T14:06:20.700Z","rate":1,"image":"http://192.168.1.5/harbour.jpg",\#
            "device":"living-room","player":"playing",\#
            "idle_reason":null,"item":4,"content_url":null,"entity":null,"stream":"buffered","metadata_type":3,"metadata":{"album_name":"Night Ferry"},\#
            "images":[{"url":"http://192.168.1.5/harbour.jpg","width":640,"height":640}],"live_range":null,"volume":{"level":null,\#
            "muted":null},"video":{"width":null,"height":null,"hdr":null},"breaks":[],"break_clips":[],\#
            "supported_commands":{"mask":15,"names":["pause","seek","stream_volume","stream_mute"]},"custom_data":null}
            """#
        ),
        (
            .television, "media",
            #"""
            {"schema":1,"session":7,"kind":"tv_show","title":"The Lighthouse","artist":null,"album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,\#
            "series":"Example Series","season":2,"episode":5,"content_id":"http://192.168.1.5/s2e5.mp4",\#
            "content_type":"video/mp4","live":false,"duration":2641.5,"position":63.2,"position_at":"2026-11-21T14:03:22.400Z",\#
            "ends_at":"2026-11-21T14:46:20.700Z","rate":1,"image":"http://192.168.1.5/s2e5.jpg",\#
            "device":"living-room","player":"playing",\#
            "idle_reason":null,"item":43,"content_url":"http://192.168.1.5/s2e5.m3u8",\#
            "entity":"https://example.org/s2e5","stream":"buffered","metadata_type":2,"metadata":{"original_air_date":"2024-03-01",\#
            "series_title":"Example Series"},"images":[{"url":"http://192.168.1.5/s2e5.jpg","width":1280,"height":720}],\#
            "live_range":null,"volume":{"level":1,"muted":false},"video":{"width":3840,"height":2160,"hdr":"hdr10"},\#
            "breaks":[{"id":"b1","position":600,"duration":null,"watched":false,"embedded":false,"clips":["c1"]}],"break_clips":[{"id":"c1",\#
            "title":"Example ad","url":"http://192.168.1.5/ad.mp4","content_type":"video/mp4","duration":15,"skippable_after":5,\#
            "poster":null,"click_url":null,"custom_data":null}],"supported_commands":{"mask":15,\#
            "names":["pause","seek","stream_volume","stream_mute"]},"custom_data":null}
            """#
        ),
        (
            .live, "media",
            #"""
            {"schema":1,"session":7,"kind":"unknown","title":"News","artist":null,"album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,\#
            "season":null,"episode":null,"content_id":"https://live.example/news.m3u8","content_type":"application/x-mpegURL",\#
            "live":true,"duration":null,"position":1790,"position_at":"2026-11-21T14:03:22.400Z","ends_at":null,"rate":1,\#
            "image":null,\#
            "device":"living-room","player":"playing","idle_reason":null,"item":null,"content_url":null,"entity":null,"stream":"live","metadata_type":null,"metadata":{},\#
            "images":[],"live_range":{"start":0,"end":1800,"moving":true,"done":false},"volume":{"level":null,"muted":null},\#
            "video":{"width":null,"height":null,"hdr":null},"breaks":[],"break_clips":[],"supported_commands":{"mask":1,\#
            "names":["pause"]},"custom_data":null}
            """#
        ),
        (
            .advertisement, "media",
            #"""
            {"schema":1,"session":7,"kind":"music","title":"Harbour Lights","artist":"Example Trio","album":"Night Ferry","album_artist":null,"track":null,"disc":null,\#
            "subtitle":null,"series":null,"season":null,"episode":null,"content_id":"http://192.168.1.5/harbour.mp3",\#
            "content_type":"audio/mpeg","live":false,"duration":241.5,"position":63.2,"position_at":"2026-11-21T14:03:22.400Z",\#
            "ends_at":null,"rate":1,"image":"http://192.168.1.5/harbour.jpg",\#
            "device":"living-room","player":"playing","idle_reason":null,"item":null,"content_url":null,"entity":null,\#
            "stream":"buffered","metadata_type":3,"metadata":{"album_name":"Night Ferry"},\#
            "images":[{"url":"http://192.168.1.5/harbour.jpg","width":640,"height":640}],"live_range":null,"volume":{"level":null,\#
            "muted":null},"video":{"width":null,"height":null,"hdr":null},"breaks":[],"break_clips":[],\#
            "supported_commands":{"mask":0,"names":[]},"custom_data":null}
            """#
        ),
        (
            .offline, "media",
            #"""
            {"schema":1,"session":7,"kind":"music","title":"Harbour Lights","artist":"Example Trio","album":"Night Ferry","album_artist":null,"track":null,"disc":null,\#
            "subtitle":null,"series":null,"season":null,"episode":null,"content_id":"http://192.168.1.5/harbour.mp3",\#
            "content_type":"audio/mpeg","live":false,"duration":241.5,"position":63.2,"position_at":"2026-11-21T14:03:22.400Z",\#
            "ends_at":"2026-11-21T14:06:20.700Z","rate":1,"image":"http://192.168.1.5/harbour.jpg",\#
            "device":"living-room","player":"unknown",\#
            "idle_reason":null,"item":4,"content_url":null,"entity":null,"stream":"buffered","metadata_type":3,"metadata":{"album_name":"Night Ferry"},\#
            "images":[{"url":"http://192.168.1.5/harbour.jpg","width":640,"height":640}],"live_range":null,"volume":{"level":null,\#
            "muted":null},"video":{"width":null,"height":null,"hdr":null},"breaks":[],"break_clips":[],\#
            "supported_commands":{"mask":15,"names":["pause","seek","stream_volume","stream_mute"]},"custom_data":null}
            """#
        ),
        (
            .group, "media",
            #"""
            {"schema":1,"session":null,"kind":null,"title":null,"artist":null,"album":null,"album_artist":null,"track":null,"disc":null,"subtitle":null,"series":null,\#
            "season":null,"episode":null,"content_id":null,"content_type":null,"live":null,"duration":null,"position":null,\#
            "position_at":null,"ends_at":null,"rate":null,"image":null,\#
            "device":"whole-house","player":"off","idle_reason":null,"item":null,"content_url":null,"entity":null,\#
            "stream":null,"metadata_type":null,"metadata":{},"images":[],"live_range":null,"volume":{"level":null,"muted":null},\#
            "video":{"width":null,"height":null,"hdr":null},"breaks":[],"break_clips":[],"supported_commands":{"mask":null,\#
            "names":[]},"custom_data":null}
            """#
        ),
        (
            .group, "app",
            #"""
            {"schema":1,"id":null,"name":null,"universal_id":null,"session":{"phase":"none","id":null},"transport":null,\#
            "status_text":null,\#
            "idle_screen":false,"launched_from_cloud":null,"namespaces":[],"icon":null,"ours":false,"connection":null}
            """#
        ),
        (
            .off, "app",
            #"""
            {"schema":1,"id":"E8C28D3C","name":"Backdrop","universal_id":null,"session":{"phase":"none","id":"b1"},\#
            "transport":"b1","status_text":null,\#
            "idle_screen":true,"launched_from_cloud":false,"namespaces":["urn:x-cast:com.google.cast.sse"],"icon":null,\#
            "ours":false,"connection":"none"}
            """#
        ),
        (
            .music, "app",
            #"""
            {"schema":1,"id":"CC1AD845","name":"Default Media Receiver","universal_id":null,"session":{"phase":"none","id":"4f0c"},\#
            "transport":"web-5",\#
            "status_text":"Casting","idle_screen":false,"launched_from_cloud":false,\#
            "namespaces":["urn:x-cast:com.google.cast.media"],"icon":null,"ours":false,"connection":"invisible"}
            """#
        ),
        (
            .television, "app",
            #"""
            {"schema":1,"id":"CC1AD845","name":"Default Media Receiver","universal_id":null,"session":{"phase":"connected","id":"4f0c"},\#
            "transport":"web-5",\#
            "status_text":"Casting","idle_screen":false,"launched_from_cloud":false,\#
            "namespaces":["urn:x-cast:com.google.cast.media"],"icon":null,"ours":true,"connection":"strong"}
            """#
        ),
        (
            .neverReached, "info",
            #"""
            {"schema":1,"id":"4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34","slug":"living-room","name":"Living Room","type":"cast",\#
            "model":"Chromecast","manufacturer":null,"firmware":null,"ip":"192.168.1.31","port":8009,"addresses":["192.168.1.31",\#
            "fe80::1%eth0"],"mac":null,"capabilities":["video_out","audio_out","multizone"],"identity":"verified",\#
            "authentication":"not_checked","groups":[],"aliases":[],"area":null,"applications":["Default Media Receiver","YouTube"],"instance":"home"}
            """#
        ),
        (
            .music, "info",
            #"""
            {"schema":1,"id":"4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34","slug":"living-room","name":"Living Room","type":"cast",\#
            "model":"Chromecast","manufacturer":"Google Inc.","firmware":"1.56.281627","ip":"192.168.1.31","port":8009,\#
            "addresses":["192.168.1.31","fe80::1%eth0"],"mac":null,"capabilities":["video_out","audio_out","multizone"],\#
            "identity":"verified","authentication":"not_checked","groups":[],"aliases":[],"area":null,"applications":["Default Media Receiver","YouTube"],"instance":"home"}
            """#
        ),
        (
            .group, "info",
            #"""
            {"schema":1,"id":"9b8c7d6e5f4a4b3c8d2e1f0a9b8c7d6e","slug":"whole-house","name":"Whole House","type":"group",\#
            "model":"Google Cast Group","manufacturer":null,"firmware":null,"ip":"192.168.1.31","port":32187,\#
            "addresses":["192.168.1.31"],"mac":null,"capabilities":["audio_out","multizone_group"],"identity":"announced",\#
            "authentication":"not_checked","groups":[],"aliases":[],"area":null,"applications":["Default Media Receiver","YouTube"],"instance":"home"}
            """#
        ),
    ]

    /// The plain values, by scenario; those that are not listed are empty.
    static let plain: [(scenario: Scenario, values: [String: String])] = [
        (
            .neverReached,
            [
                "player": "unknown",
                "busy": "OFF",
            ]
        ),
        (
            .idle,
            [
                "player": "idle",
                "busy": "OFF",
                "app": "Default Media Receiver",
                "volume": "34",
                "volume_level": "0.34",
                "muted": "OFF",
            ]
        ),
        (
            .off,
            [
                "player": "off",
                "busy": "OFF",
                "app": "Backdrop",
                "volume": "34",
                "volume_level": "0.34",
                "muted": "OFF",
            ]
        ),
        (
            .music,
            [
                "player": "playing",
                "busy": "ON",
                "app": "Default Media Receiver",
                "volume": "34",
                "volume_level": "0.34",
                "muted": "OFF",
                "title": "Harbour Lights",
                "artist": "Example Trio",
                "album": "Night Ferry",
                "duration": "241.5",
                "position": "63.2",
                "position_percent": "26.2",
                "artwork": "http://192.168.1.5/harbour.jpg",
                "content_id": "http://192.168.1.5/harbour.mp3",
                "repeat": "off",
                "shuffle": "OFF",
            ]
        ),
        (
            .television,
            [
                "player": "playing",
                "busy": "ON",
                "app": "Default Media Receiver",
                "volume": "34",
                "volume_level": "0.34",
                "muted": "OFF",
                "title": "The Lighthouse",
                "duration": "2641.5",
                "position": "63.2",
                "position_percent": "2.4",
                "artwork": "http://192.168.1.5/s2e5.jpg",
                "content_id": "http://192.168.1.5/s2e5.mp4",
            ]
        ),
        (
            .live,
            [
                "player": "playing",
                "busy": "ON",
                "app": "Default Media Receiver",
                "volume": "34",
                "volume_level": "0.34",
                "muted": "OFF",
                "title": "News",
                "position": "1790",
                "content_id": "https://live.example/news.m3u8",
            ]
        ),
        (
            .offline,
            [
                "player": "unknown",
                "busy": "OFF",
                "app": "Default Media Receiver",
                "volume": "34",
                "volume_level": "0.34",
                "muted": "OFF",
                "title": "Harbour Lights",
                "artist": "Example Trio",
                "album": "Night Ferry",
                "duration": "241.5",
                "position": "63.2",
                "position_percent": "26.2",
                "artwork": "http://192.168.1.5/harbour.jpg",
                "content_id": "http://192.168.1.5/harbour.mp3",
                "repeat": "off",
                "shuffle": "OFF",
            ]
        ),
        (
            .group,
            [
                "player": "off",
                "busy": "OFF",
                "volume": "20",
                "volume_level": "0.2",
                "muted": "OFF",
            ]
        ),
    ]
}
