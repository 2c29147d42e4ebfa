/// The ASCII letters and digits that other characters stand for, from the compatibility decompositions of Unicode (UAX #15, NFKD) with
/// combining marks dropped, and from the usual spellings of letters that do not decompose. Generated; its generator is beside its test.
enum LetterFolding {
    /// What `scalar` folds to, with a space for each part that is neither letter nor digit; `nil` when nothing of it is either.
    static func folded(_ scalar: Unicode.Scalar) -> String? { self.table[scalar] }

    private static let table: [Unicode.Scalar: String] = {
        var table: [Unicode.Scalar: String] = [:]
        for line in Self.lines.split(separator: "\n") {
            // The target, a tab, then the first and last code points of each range in base 36.
            let fields = line.split(separator: "\t")
            guard fields.count == 2 else { continue }
            for range in fields[1].split(separator: " ") {
                let ends = range.split(separator: "-").compactMap { UInt32($0, radix: 36) }
                guard let first = ends.first, let last = ends.last else { continue }
                for code in first...max(first, last) { if let scalar = Unicode.Scalar(code) { table[scalar] = String(fields[0]) } }
            }
        }
        return table
    }()

    private static let lines = """
         1 \t778
         10 \t77h
         11 \t77i
         12 \t77j
         13 \t77k
         14 \t77l
         15 \t77m
         16 \t77n
         17 \t77o
         18 \t77p
         19 \t77q
         2 \t779
         20 \t77r
         3 \t77a
         4 \t77b
         5 \t77c
         6 \t77d
         7 \t77e
         8 \t77f
         9 \t77g
         a\ta6a
         a \t78c 2q6o
         b \t78d 2q6p
         c\t6ir
         c \t78e 2q6q
         d \t78f 2q6r
         e \t78g 2q6s
         f\t6ix a6k
         f \t78h 2q6t
         g\ta6l
         g \t78i 2q6u
         h \t78j 2q6v
         i \t78k 2q6w
         j \t78l 2q6x
         k \t78m 2q6y
         l\ta6t
         l \t78n 2q6z
         m\ta6z
         m \t78o 2q70
         n\t95
         n \t78p 2q71
         o \t78q 2q72
         p \t78r 2q73
         q \t78s 2q74
         r \t78t 2q75
         s\ta7m
         s \t78u 2q76 2q7e
         t \t78v 2q77
         u \t78w 2q78
         v\ta7q
         v \t78x 2q79
         w\ta7w
         w \t78y 2q7a
         x \t78z 2q7b
         y \t790 2q7c
         z \t791 2q7d
        0\t6eo 6f4 7ai 1eds 2l72 2l7c 2l7m 2l7w 2l86 2sc0
        0 \ta54 2q68-2q69
        0 3\t6mh
        1\t55 6f5 76o 1edt 2l73 2l7d 2l7n 2l7x 2l87 2sc1
        1 \t6lb 77s a0w a55 a8w 2q6a
        1 10\t6ky
        1 2\t59
        1 3\t6kz
        1 4\t58
        1 5\t6l1
        1 6\t6l5
        1 7\t6kw
        1 8\t6l7
        1 9\t6kx
        10\t76x
        10 \t781 a15 a5e a95
        11\t76y
        11 \t782 a16 a5f a96
        12\t76z
        12 \t783 a17 a5g a97
        13\t770
        13 \t784 a5h a98
        14\t771
        14 \t785 a5i a99
        15\t772
        15 \t786 a5j a9a
        16\t773
        16 \t787 a5k a9b
        17\t774
        17 \t788 a5l a9c
        18\t775
        18 \t789 a5m a9d
        19\t776
        19 \t78a a5n a9e
        2\t4y 6f6 76p 1edu 2l74 2l7e 2l7o 2l7y 2l88 2sc2
        2 \t77t a0x a56 a8x 2q6b
        2 3\t6l0
        2 5\t6l2
        20\t777
        20 \t78b a5o a9f
        21\t9xt
        21 \ta5p a9g
        22\t9xu
        22 \ta5q a9h
        23\t9xv
        23 \ta5r a9i
        24\t9xw
        24 \ta5s a9j
        25\t9xx
        25 \ta9k
        26\t9xy
        26 \ta9l
        27\t9xz
        27 \ta9m
        28\t9y0
        28 \ta9n
        29\t9y1
        29 \ta9o
        3\t4z 6f7 76q 1edv 2l75 2l7f 2l7p 2l7z 2l89 2sc3
        3 \t77u a0y a57 a8y 2q6c
        3 4\t5a
        3 5\t6l3
        3 8\t6l8
        30\t9y2
        30 \ta9p
        31\t9y3
        31 \ta9q
        32\t9y4
        33\t9y5
        34\t9y6
        35\t9y7
        36\ta0h
        37\ta0i
        38\ta0j
        39\ta0k
        4\t6es 6f8 76r 1edw 2l76 2l7g 2l7q 2l80 2l8a 2sc4
        4 \t77v a0z a58 a8z 2q6d
        4 5\t6l4
        40\ta0l
        41\ta0m
        42\ta0n
        43\ta0o
        44\ta0p
        45\ta0q
        46\ta0r
        47\ta0s
        48\ta0t
        49\ta0u
        5\t6et 6f9 76s 1edx 2l77 2l7h 2l7r 2l81 2l8b 2sc5
        5 \t77w a10 a59 a90 2q6e
        5 6\t6l6
        5 8\t6l9
        50\ta0v
        6\t6eu 6fa 76t 1edy 2l78 2l7i 2l7s 2l82 2l8c 2sc6
        6 \t77x a11 a5a a91 2q6f
        7\t6ev 6fb 76u 1edz 2l79 2l7j 2l7t 2l83 2l8d 2sc7
        7 \t77y a12 a5b a92 2q6g
        7 8\t6la
        8\t6ew 6fc 76v 1ee0 2l7a 2l7k 2l7u 2l84 2l8e 2sc8
        8 \t77z a13 a5c a93 2q6h
        9\t6ex 6fd 76w 1ee1 2l7b 2l7l 2l7v 2l85 2l8f 2sc9
        9 \t780 a14 a5d a94 2q6i
        a\t4q 5c-5h 68-6d 74-79 ct-cu da-dd e2-e3 e8-eb fa-fb 5rg 5s3 5xc-5xd 61s-62f 6fk 6jv 792 79s 1ee9 1ef5 2kg0 2kgq 2khg 2ki6 2kiw \
        2kjm 2kkc 2kl2 2kls 2kmi 2kn8 2kny 2koo 2kpe 2kq4 2kqu 2krk 2ksa 2kt0 2ktq 2kug 2kv6 2kvw 2kwm 2kxc 2ky2 2q7k
        a \t61m
        a c\t6io
        a m\ta8v
        a m \ta82
        a s\t6ip
        ae\t5i 6e de-df e4-e5 5rh 1g1v
        au\ta5v
        b\t5ri 5s7 5xe-5xj 6jw 793 79t 1eea 1ef6 2kg1 2kgr 2khh 2ki7 2kix 2kjn 2kl3 2klt 2kmj 2kn9 2knz 2kop 2kpf 2kq5 2kqv 2krl 2ksb \
        2kt1 2ktr 2kuh 2kv7 2kvx 2kwn 2kxd 2ky3 2q7l
        bar\ta5w
        bq\ta83
        c\t5j 6f 7a-7h 5uk 5xk-5xl 6iq 6jx 6lp 6m5 794 79u x6a 1eeb 1ef7 2kg2 2kgs 2khi 2ki8 2kiy 2kjo 2kke 2kl4 2klu 2kmk 2ko0 2kpg 2kq6 \
        2kqw 2krm 2ksc 2kt2 2kts 2kui 2kv8 2kvy 2kwo 2kxe 2ky4 2q7f 2q7m
        c kg\ta86
        c o\t6it
        c u\t6iu
        cal\ta6g
        cc\ta84
        cd\ta85 2q7h
        cm\ta71
        cm2\ta74
        cm3\ta78
        co \ta87
        d\t5s 6o 7i-7l 5rk 5s8 5um 5xm-5xv 6kl-6km 6lq 6m6 795 79v 1eec 1ef8 2kg3 2kgt 2khj 2ki9 2kiz 2kjp 2kkf 2kl5 2klv 2kml 2knb 2ko1 \
        2kor 2kph 2kq7 2kqx 2krn 2ksd 2kt3 2ktt 2kuj 2kv9 2kvz 2kwp 2kxf 2ky5 2q7n
        da\ta5u
        db\ta88
        dj\t2qa8
        dl\ta6v
        dm\ta5z
        dm2\ta60
        dm3\ta61
        dz\tck-cm dt-dv
        e\t5k-5n 6g-6j 7m-7v ec-ef fc-fd 5rl 5s9 5xw-5y5 62g-62v 6fl 6jz-6k0 6kn 796 79w 1eed 1ef9 2kg4 2kgu 2khk 2kia 2kj0 2kjq 2klw \
        2kmm 2knc 2ko2 2kos 2kpi 2kq8 2kqy 2kro 2kse 2kt4 2ktu 2kuk 2kva 2kw0 2kwq 2kxg 2ky6 2q7o
        erg\ta19
        ev\ta1a
        f\t5uo 5y6-5y7 6k1 797 79x x6b 1eee 1efa 2kg5 2kgv 2khl 2kib 2kj1 2kjr 2kl7 2klx 2kmn 2knd 2ko3 2kot 2kpj 2kq9 2kqz 2krp 2ksf \
        2kt5 2ktv 2kul 2kvb 2kw1 2kwr 2kxh 2ky7 2q7p
        fax\t6kb
        ff\t1dkw
        ffi\t1dkz
        ffl\t1dl0
        fi\t1dkx
        fl\t1dky
        fm\ta6x
        g\t7w-83 di-dj dw-dx 5rn 5sd 5y8-5y9 6iy 798 79y 1eef 1efb 2kg6 2kgw 2khm 2kic 2kj2 2kjs 2kki 2kly 2kmo 2kne 2ko4 2kou 2kpk 2kqa \
        2kr0 2krq 2ksg 2kt6 2ktw 2kum 2kvc 2kw2 2kws 2kxi 2ky8 2q7q
        gal\ta9r
        gb\ta6f
        ghz\ta6r
        gpa\ta7g
        gy\ta89
        h\t84-87 f2-f3 j4 5ro 5ya-5yj 61i 6fp 6iz-6j3 799 79z x6g 1eeg 1efc 1g2d 2kg7 2kgx 2khn 2kj3 2kjt 2kl9 2klz 2kmp 2ko5 2kpl 2kqb \
        2kr1 2krr 2ksh 2kt7 2ktx 2kun 2kvd 2kw3 2kwt 2kxj 2ky9 2q7r
        ha\ta8a
        hg\ta18
        hp\ta8b
        hpa\ta5t
        hv\t2q8a
        hz\ta6o
        i\t5o-5r 6k-6n 88-8h cv-cw eg-ej 5rp 5sy 5yk-5yn 62w-62z 6ep 6j4-6j5 6k9 6ko 6lc 6ls 79a 7a0 1eeh 1efd 2kg8 2kgy 2kho 2kie 2kj4 \
        2kju 2kla 2km0 2kmq 2ko6 2kow 2kpm 2kqc 2kr2 2krs 2ksi 2kt8 2kty 2kuo 2kve 2kw4 2kwu 2kxk 2kya 2kys 2q7s
        ii\t6ld 6lt
        iii\t6le 6lu
        ij\t8i-8j
        in\ta8c
        iu\ta62
        iv\t6lf 6lv
        ix\t6lk 6m0
        j\t8k-8l ds j6 5rq 6kp 79b 7a1 8sc 1eei 1efe 2kg9 2kgz 2khp 2kif 2kj5 2kjv 2kkl 2klb 2km1 2kmr 2knh 2ko7 2kox 2kpn 2kqd 2kr3 2krt \
        2ksj 2kt9 2ktz 2kup 2kvf 2kw5 2kwv 2kxl 2kyb 2q7t
        k\t8m-8n dk-dl 5rr 5sf 5yo-5yt 6fq 6ju 79c 7a2 1eej 1eff 2kga 2kh0 2khq 2kig 2kj6 2kjw 2kkm 2klc 2km2 2kms 2kni 2ko8 2koy 2kpo \
        2kqe 2kr4 2kru 2ksk 2kta 2ku0 2kuq 2kvg 2kw6 2kww 2kxm 2kyc 2q7u
        k \ta80
        ka\ta6c
        kb\ta6d
        kcal\ta6h
        kg\ta6n
        khz\ta6p
        kk\ta8d
        kl\ta6w
        km\ta72 a8e
        km2\ta76
        km3\ta7a
        kpa\ta7e
        kt\ta8f
        kv\ta7s
        kw\ta7y
        l\t8p-8u 8x-8y kh 5rs 5yu-5z1 6fr 6j6-6j7 6lo 6m4 79d 7a3 1eek 1efg 2kgb 2kh1 2khr 2kih 2kj7 2kjx 2kld 2km3 2kmt 2knj 2ko9 2koz \
        2kpp 2kqf 2kr5 2krv 2ksl 2ktb 2ku1 2kur 2kvh 2kw7 2kwx 2kxn 2kyd 2q7v
        l \t8v-8w
        lj\tcn-cp
        lm\ta8g
        ln\ta8h
        log\ta8i
        ltd\ta1b
        lx\ta8j
        m\t5rt 5sg 5z2-5z7 6fs 6k3 6lr 6m7 79e 7a4 1eel 1efh 2kgc 2kh2 2khs 2kii 2kj8 2kjy 2kle 2km4 2kmu 2knk 2koa 2kp0 2kpq 2kqg 2kr6 \
        2krw 2ksm 2ktc 2ku2 2kus 2kvi 2kw8 2kwy 2kxo 2kye 2q7w
        m \ta81
        m s\ta7b
        m s2\ta7c
        m2\ta75
        m3\ta79
        ma\ta6b
        mb\ta6e a8k
        mc\t2q96
        md\t2q97
        mg\ta6m
        mhz\ta6q
        mil\ta8l
        ml\ta6u
        mm\ta70
        mm2\ta73
        mm3\ta77
        mol\ta8m
        mpa\ta7f
        mr\t2q98
        ms\ta7n
        mv\ta7r a7t 2q8b
        mw\ta7x a7z
        n\t5t 6p 8z-94 e0-e1 5ru 5z8-5zf 6f3 6ft 6j9 79f 7a5 1eem 1efi 2kgd 2kh3 2kht 2kij 2kj9 2kjz 2kkp 2klf 2km5 2kmv 2knl 2kob 2kpr \
        2kqh 2kr7 2krx 2ksn 2ktd 2ku3 2kut 2kvj 2kw9 2kwz 2kxp 2kyf 2q7x
        na\ta69
        nf\ta6j
        ng\t96-97 5sh
        nj\tcq-cs
        nm\ta6y
        no\t6ja
        ns\ta7l
        nv\ta7p
        nw\ta7v
        o\t56 5u-5y 60 6q-6u 6w 98-9d bk-bl cx-cy dm-dp e6-e7 ek-en fe-fl 5rw 5si 5zg-5zn 630-63n 6fm 6k4 79g 7a6 1een 1efj 1g2q 2kge \
        2kh4 2khu 2kik 2kja 2kk0 2kkq 2km6 2kmw 2knm 2koc 2kp2 2kps 2kqi 2kr8 2kry 2kso 2kte 2ku4 2kuu 2kvk 2kwa 2kx0 2kxq 2kyg 2q7y
        oe\t9e-9f x6h
        ov\ta5x
        p\t5ry 5sm 5zo-5zr 6fu 6jd 79h 7a7 1eeo 1efk 2kgf 2kh5 2khv 2kil 2kjb 2kk1 2kkr 2klh 2km7 2kmx 2knn 2kod 2kpt 2kqj 2kr9 2krz 2ksp \
        2ktf 2ku5 2kuv 2kvl 2kwb 2kx1 2kxr 2kyh 2q7z
        p m \ta8o
        pa\ta68 a7d
        pc\ta5y
        pf\ta6i
        ph\ta8n
        ppm\ta8p
        ppv\t2q8e
        pr\ta8q
        ps\ta7k
        pte\t9xs
        pv\ta7o
        pw\ta7u
        q\t6je 79i 7a8 x6c 1eep 1efl 1g2t 2kgg 2kh6 2khw 2kim 2kjc 2kk2 2kks 2kli 2km8 2kmy 2kno 2koe 2kpu 2kqk 2kra 2ks0 2ksq 2ktg 2ku6 \
        2kuw 2kvm 2kwc 2kx2 2kxs 2kyi 2q80
        r\t9g-9l eo-er j7 5rz 5sz 5zs-5zz 6jf-6jh 79j 7a9 1eeq 1efm 2kgh 2kh7 2khx 2kin 2kjd 2kk3 2klj 2km9 2kmz 2kof 2kpv 2kql 2krb 2ks1 \
        2ksr 2kth 2ku7 2kux 2kvn 2kwd 2kx3 2kxt 2kyj 2q7g 2q81
        rad\ta7h
        rad s\ta7i
        rad s2\ta7j
        rs\t6g8
        s\t9m-9t an ew-ex ki 600-609 61n 6fv 79k 7aa 1eer 1efn 2kgi 2kh8 2khy 2kio 2kje 2kk4 2kku 2klk 2kma 2kn0 2knq 2kog 2kp6 2kpw 2kqm \
        2krc 2ks2 2kss 2kti 2ku8 2kuy 2kvo 2kwe 2kx4 2kxu 2kyk 2q82
        sd\t2q8c
        sm\t6jk
        sr\ta8r
        ss\t67 61q 2q8d
        st\t1dl1-1dl2
        sv\ta8s
        t\t9u-9z ey-ez 5s0 5sn 60a-60h 61j 6fw 79l 7ab 1ees 1efo 2kgj 2kh9 2khz 2kip 2kjf 2kk5 2kkv 2kll 2kmb 2kn1 2knr 2koh 2kp7 2kpx \
        2kqn 2krd 2ks3 2kst 2ktj 2ku9 2kuz 2kvp 2kwf 2kx5 2kxv 2kyl 2q83
        tel\t6jl
        th\t66 72
        thz\ta6s
        tm\t6jm
        u\t61-64 6x-70 a0-ab bz-c0 cz-d8 es-ev 5s1 5so 5t0 60i-60r 63o-641 79m 7ac 1eet 1efp 2kgk 2kha 2ki0 2kiq 2kjg 2kk6 2kkw 2klm 2kmc \
        2kn2 2kns 2koi 2kp8 2kpy 2kqo 2kre 2ks4 2ksu 2ktk 2kua 2kv0 2kvq 2kwg 2kx6 2kxw 2kym 2q84
        v\t5sr 5t1 60s-60v 6lg 6lw 79n 7ad 8sd 1eeu 1efq 2kgl 2khb 2ki1 2kir 2kjh 2kk7 2kkx 2kln 2kmd 2kn3 2knt 2koj 2kp9 2kpz 2kqp 2krf \
        2ks5 2ksv 2ktl 2kub 2kv1 2kvr 2kwh 2kx7 2kxx 2kyn 2q85
        v m\ta8u
        vi\t6lh 6lx
        vii\t6li 6ly
        viii\t6lj 6lz
        w\tac-ad jb 5s2 60w-615 61k 79o 7ae 1eev 1efr 2kgm 2khc 2ki2 2kis 2kji 2kk8 2kky 2klo 2kme 2kn4 2knu 2kok 2kpa 2kq0 2kqq 2krg \
        2ks6 2ksw 2ktm 2kuc 2kv2 2kvs 2kwi 2kx8 2kxy 2kyo 2q86
        wb\ta8t
        wc\t2q8f
        wz\t2q7i
        x\tkj 616-619 6fn 6ll 6m1 79p 7af 1eew 1efs 2kgn 2khd 2ki3 2kit 2kjj 2kk9 2kkz 2klp 2kmf 2kn5 2knv 2kol 2kpb 2kq1 2kqr 2krh 2ks7 \
        2ksx 2ktn 2kud 2kv3 2kvt 2kwj 2kx9 2kxz 2kyp 2q87
        xi\t6lm 6m2
        xii\t6ln 6m3
        y\t65 71 73 ae-ag fm-fn jc 61a-61b 61l 642-649 79q 7ag 1eex 1eft 2kgo 2khe 2ki4 2kiu 2kjk 2kka 2kl0 2klq 2kmg 2kn6 2knw 2kom 2kpc \
        2kq2 2kqs 2kri 2ks8 2ksy 2kto 2kue 2kv4 2kvu 2kwk 2kxa 2ky0 2kyq 2q88
        z\tah-am 5vf 61c-61h 6jo 6js 79r 7ah 1eey 1efu 2kgp 2khf 2ki5 2kiv 2kjl 2kkb 2kl1 2klr 2kmh 2kn7 2kon 2kq3 2kqt 2krj 2ks9 2ksz \
        2ktp 2kuf 2kv5 2kvv 2kwl 2kxb 2ky1 2kyr 2q89
        """
}
