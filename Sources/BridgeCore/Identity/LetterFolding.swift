/// The ASCII letters and digits that replace other characters: from the compatibility decompositions of Unicode (UAX #15, NFKD) without
/// combining marks, and from the usual spellings of letters that do not decompose. Generated; its generator is beside its test.
enum LetterFolding {
    /// Returns the replacement of `scalar`, with a space for each part that is neither a letter nor a digit; `nil` when it contains
    /// neither.
    static func folded(_ scalar: Unicode.Scalar) -> String? { self.table[scalar] }

    private static let table: [Unicode.Scalar: String] = {
        var table: [Unicode.Scalar: String] = [:]
        for entry in Self.entries.split(separator: ";") {
            // The target, a colon, then the first and last code points of each range in base 36.
            let fields = entry.split(separator: ":")
            guard fields.count == 2 else { continue }
            for range in fields[1].split(separator: " ") {
                let ends = range.split(separator: "-").compactMap { UInt32($0, radix: 36) }
                guard let first = ends.first, let last = ends.last else { continue }
                for code in first...max(first, last) { if let scalar = Unicode.Scalar(code) { table[scalar] = String(fields[0]) } }
            }
        }
        return table
    }()

    private static let entries = """
         1 :778; 10 :77h; 11 :77i; 12 :77j; 13 :77k; 14 :77l; 15 :77m; 16 :77n; 17 :77o; 18 :77p; 19 :77q; 2 :779; 20 :77r; 3 :77a;\
         4 :77b; 5 :77c; 6 :77d; 7 :77e; 8 :77f; 9 :77g; a:a6a; a :78c 2q6o; b :78d 2q6p; c:6ir; c :78e 2q6q; d :78f 2q6r; e :78g 2q6s;\
         f:6ix a6k; f :78h 2q6t; g:a6l; g :78i 2q6u; h :78j 2q6v; i :78k 2q6w; j :78l 2q6x; k :78m 2q6y; l:a6t; l :78n 2q6z; m:a6z;\
         m :78o 2q70; n:95; n :78p 2q71; o :78q 2q72; p :78r 2q73; q :78s 2q74; r :78t 2q75; s:a7m; s :78u 2q76 2q7e; t :78v 2q77;\
         u :78w 2q78; v:a7q; v :78x 2q79; w:a7w; w :78y 2q7a; x :78z 2q7b; y :790 2q7c; z :791 2q7d;0:6eo 6f4 7ai 1eds 2l72 2l7c 2l7m\
         2l7w 2l86 2sc0;0 :a54 2q68-2q69;0 3:6mh;1:55 6f5 76o 1edt 2l73 2l7d 2l7n 2l7x 2l87 2sc1;1 :6lb 77s a0w a55 a8w 2q6a;1 10:6ky;\
        1 2:59;1 3:6kz;1 4:58;1 5:6l1;1 6:6l5;1 7:6kw;1 8:6l7;1 9:6kx;10:76x;10 :781 a15 a5e a95;11:76y;11 :782 a16 a5f a96;12:76z;\
        12 :783 a17 a5g a97;13:770;13 :784 a5h a98;14:771;14 :785 a5i a99;15:772;15 :786 a5j a9a;16:773;16 :787 a5k a9b;17:774;17 :788\
         a5l a9c;18:775;18 :789 a5m a9d;19:776;19 :78a a5n a9e;2:4y 6f6 76p 1edu 2l74 2l7e 2l7o 2l7y 2l88 2sc2;2 :77t a0x a56 a8x 2q6b;\
        2 3:6l0;2 5:6l2;20:777;20 :78b a5o a9f;21:9xt;21 :a5p a9g;22:9xu;22 :a5q a9h;23:9xv;23 :a5r a9i;24:9xw;24 :a5s a9j;25:9xx;\
        25 :a9k;26:9xy;26 :a9l;27:9xz;27 :a9m;28:9y0;28 :a9n;29:9y1;29 :a9o;3:4z 6f7 76q 1edv 2l75 2l7f 2l7p 2l7z 2l89 2sc3;3 :77u a0y\
         a57 a8y 2q6c;3 4:5a;3 5:6l3;3 8:6l8;30:9y2;30 :a9p;31:9y3;31 :a9q;32:9y4;33:9y5;34:9y6;35:9y7;36:a0h;37:a0i;38:a0j;39:a0k;4:6es\
         6f8 76r 1edw 2l76 2l7g 2l7q 2l80 2l8a 2sc4;4 :77v a0z a58 a8z 2q6d;4 5:6l4;40:a0l;41:a0m;42:a0n;43:a0o;44:a0p;45:a0q;46:a0r;\
        47:a0s;48:a0t;49:a0u;5:6et 6f9 76s 1edx 2l77 2l7h 2l7r 2l81 2l8b 2sc5;5 :77w a10 a59 a90 2q6e;5 6:6l6;5 8:6l9;50:a0v;6:6eu 6fa\
         76t 1edy 2l78 2l7i 2l7s 2l82 2l8c 2sc6;6 :77x a11 a5a a91 2q6f;7:6ev 6fb 76u 1edz 2l79 2l7j 2l7t 2l83 2l8d 2sc7;7 :77y a12 a5b\
         a92 2q6g;7 8:6la;8:6ew 6fc 76v 1ee0 2l7a 2l7k 2l7u 2l84 2l8e 2sc8;8 :77z a13 a5c a93 2q6h;9:6ex 6fd 76w 1ee1 2l7b 2l7l 2l7v\
         2l85 2l8f 2sc9;9 :780 a14 a5d a94 2q6i;a:4q 5c-5h 68-6d 74-79 ct-cu da-dd e2-e3 e8-eb fa-fb 5rg 5s3 5xc-5xd 61s-62f 6fk 6jv 792\
         79s 1ee9 1ef5 2kg0 2kgq 2khg 2ki6 2kiw 2kjm 2kkc 2kl2 2kls 2kmi 2kn8 2kny 2koo 2kpe 2kq4 2kqu 2krk 2ksa 2kt0 2ktq 2kug 2kv6\
         2kvw 2kwm 2kxc 2ky2 2q7k;a :61m;a c:6io;a m:a8v;a m :a82;a s:6ip;ae:5i 6e de-df e4-e5 5rh 1g1v;au:a5v;b:5ri 5s7 5xe-5xj 6jw 793\
         79t 1eea 1ef6 2kg1 2kgr 2khh 2ki7 2kix 2kjn 2kl3 2klt 2kmj 2kn9 2knz 2kop 2kpf 2kq5 2kqv 2krl 2ksb 2kt1 2ktr 2kuh 2kv7 2kvx\
         2kwn 2kxd 2ky3 2q7l;bar:a5w;bq:a83;c:5j 6f 7a-7h 5uk 5xk-5xl 6iq 6jx 6lp 6m5 794 79u x6a 1eeb 1ef7 2kg2 2kgs 2khi 2ki8 2kiy\
         2kjo 2kke 2kl4 2klu 2kmk 2ko0 2kpg 2kq6 2kqw 2krm 2ksc 2kt2 2kts 2kui 2kv8 2kvy 2kwo 2kxe 2ky4 2q7f 2q7m;c kg:a86;c o:6it;\
        c u:6iu;cal:a6g;cc:a84;cd:a85 2q7h;cm:a71;cm2:a74;cm3:a78;co :a87;d:5s 6o 7i-7l 5rk 5s8 5um 5xm-5xv 6kl-6km 6lq 6m6 795 79v 1eec\
         1ef8 2kg3 2kgt 2khj 2ki9 2kiz 2kjp 2kkf 2kl5 2klv 2kml 2knb 2ko1 2kor 2kph 2kq7 2kqx 2krn 2ksd 2kt3 2ktt 2kuj 2kv9 2kvz 2kwp\
         2kxf 2ky5 2q7n;da:a5u;db:a88;dj:2qa8;dl:a6v;dm:a5z;dm2:a60;dm3:a61;dz:ck-cm dt-dv;e:5k-5n 6g-6j 7m-7v ec-ef fc-fd 5rl 5s9\
         5xw-5y5 62g-62v 6fl 6jz-6k0 6kn 796 79w 1eed 1ef9 2kg4 2kgu 2khk 2kia 2kj0 2kjq 2klw 2kmm 2knc 2ko2 2kos 2kpi 2kq8 2kqy 2kro\
         2kse 2kt4 2ktu 2kuk 2kva 2kw0 2kwq 2kxg 2ky6 2q7o;erg:a19;ev:a1a;f:5uo 5y6-5y7 6k1 797 79x x6b 1eee 1efa 2kg5 2kgv 2khl 2kib\
         2kj1 2kjr 2kl7 2klx 2kmn 2knd 2ko3 2kot 2kpj 2kq9 2kqz 2krp 2ksf 2kt5 2ktv 2kul 2kvb 2kw1 2kwr 2kxh 2ky7 2q7p;fax:6kb;ff:1dkw;\
        ffi:1dkz;ffl:1dl0;fi:1dkx;fl:1dky;fm:a6x;g:7w-83 di-dj dw-dx 5rn 5sd 5y8-5y9 6iy 798 79y 1eef 1efb 2kg6 2kgw 2khm 2kic 2kj2 2kjs\
         2kki 2kly 2kmo 2kne 2ko4 2kou 2kpk 2kqa 2kr0 2krq 2ksg 2kt6 2ktw 2kum 2kvc 2kw2 2kws 2kxi 2ky8 2q7q;gal:a9r;gb:a6f;ghz:a6r;\
        gpa:a7g;gy:a89;h:84-87 f2-f3 j4 5ro 5ya-5yj 61i 6fp 6iz-6j3 799 79z x6g 1eeg 1efc 1g2d 2kg7 2kgx 2khn 2kj3 2kjt 2kl9 2klz 2kmp\
         2ko5 2kpl 2kqb 2kr1 2krr 2ksh 2kt7 2ktx 2kun 2kvd 2kw3 2kwt 2kxj 2ky9 2q7r;ha:a8a;hg:a18;hp:a8b;hpa:a5t;hv:2q8a;hz:a6o;i:5o-5r\
         6k-6n 88-8h cv-cw eg-ej 5rp 5sy 5yk-5yn 62w-62z 6ep 6j4-6j5 6k9 6ko 6lc 6ls 79a 7a0 1eeh 1efd 2kg8 2kgy 2kho 2kie 2kj4 2kju\
         2kla 2km0 2kmq 2ko6 2kow 2kpm 2kqc 2kr2 2krs 2ksi 2kt8 2kty 2kuo 2kve 2kw4 2kwu 2kxk 2kya 2kys 2q7s;ii:6ld 6lt;iii:6le 6lu;\
        ij:8i-8j;in:a8c;iu:a62;iv:6lf 6lv;ix:6lk 6m0;j:8k-8l ds j6 5rq 6kp 79b 7a1 8sc 1eei 1efe 2kg9 2kgz 2khp 2kif 2kj5 2kjv 2kkl 2klb\
         2km1 2kmr 2knh 2ko7 2kox 2kpn 2kqd 2kr3 2krt 2ksj 2kt9 2ktz 2kup 2kvf 2kw5 2kwv 2kxl 2kyb 2q7t;k:8m-8n dk-dl 5rr 5sf 5yo-5yt\
         6fq 6ju 79c 7a2 1eej 1eff 2kga 2kh0 2khq 2kig 2kj6 2kjw 2kkm 2klc 2km2 2kms 2kni 2ko8 2koy 2kpo 2kqe 2kr4 2kru 2ksk 2kta 2ku0\
         2kuq 2kvg 2kw6 2kww 2kxm 2kyc 2q7u;k :a80;ka:a6c;kb:a6d;kcal:a6h;kg:a6n;khz:a6p;kk:a8d;kl:a6w;km:a72 a8e;km2:a76;km3:a7a;\
        kpa:a7e;kt:a8f;kv:a7s;kw:a7y;l:8p-8u 8x-8y kh 5rs 5yu-5z1 6fr 6j6-6j7 6lo 6m4 79d 7a3 1eek 1efg 2kgb 2kh1 2khr 2kih 2kj7 2kjx\
         2kld 2km3 2kmt 2knj 2ko9 2koz 2kpp 2kqf 2kr5 2krv 2ksl 2ktb 2ku1 2kur 2kvh 2kw7 2kwx 2kxn 2kyd 2q7v;l :8v-8w;lj:cn-cp;lm:a8g;\
        ln:a8h;log:a8i;ltd:a1b;lx:a8j;m:5rt 5sg 5z2-5z7 6fs 6k3 6lr 6m7 79e 7a4 1eel 1efh 2kgc 2kh2 2khs 2kii 2kj8 2kjy 2kle 2km4 2kmu\
         2knk 2koa 2kp0 2kpq 2kqg 2kr6 2krw 2ksm 2ktc 2ku2 2kus 2kvi 2kw8 2kwy 2kxo 2kye 2q7w;m :a81;m s:a7b;m s2:a7c;m2:a75;m3:a79;\
        ma:a6b;mb:a6e a8k;mc:2q96;md:2q97;mg:a6m;mhz:a6q;mil:a8l;ml:a6u;mm:a70;mm2:a73;mm3:a77;mol:a8m;mpa:a7f;mr:2q98;ms:a7n;mv:a7r a7t\
         2q8b;mw:a7x a7z;n:5t 6p 8z-94 e0-e1 5ru 5z8-5zf 6f3 6ft 6j9 79f 7a5 1eem 1efi 2kgd 2kh3 2kht 2kij 2kj9 2kjz 2kkp 2klf 2km5 2kmv\
         2knl 2kob 2kpr 2kqh 2kr7 2krx 2ksn 2ktd 2ku3 2kut 2kvj 2kw9 2kwz 2kxp 2kyf 2q7x;na:a69;nf:a6j;ng:96-97 5sh;nj:cq-cs;nm:a6y;\
        no:6ja;ns:a7l;nv:a7p;nw:a7v;o:56 5u-5y 60 6q-6u 6w 98-9d bk-bl cx-cy dm-dp e6-e7 ek-en fe-fl 5rw 5si 5zg-5zn 630-63n 6fm 6k4 79g\
         7a6 1een 1efj 1g2q 2kge 2kh4 2khu 2kik 2kja 2kk0 2kkq 2km6 2kmw 2knm 2koc 2kp2 2kps 2kqi 2kr8 2kry 2kso 2kte 2ku4 2kuu 2kvk\
         2kwa 2kx0 2kxq 2kyg 2q7y;oe:9e-9f x6h;ov:a5x;p:5ry 5sm 5zo-5zr 6fu 6jd 79h 7a7 1eeo 1efk 2kgf 2kh5 2khv 2kil 2kjb 2kk1 2kkr\
         2klh 2km7 2kmx 2knn 2kod 2kpt 2kqj 2kr9 2krz 2ksp 2ktf 2ku5 2kuv 2kvl 2kwb 2kx1 2kxr 2kyh 2q7z;p m :a8o;pa:a68 a7d;pc:a5y;\
        pf:a6i;ph:a8n;ppm:a8p;ppv:2q8e;pr:a8q;ps:a7k;pte:9xs;pv:a7o;pw:a7u;q:6je 79i 7a8 x6c 1eep 1efl 1g2t 2kgg 2kh6 2khw 2kim 2kjc\
         2kk2 2kks 2kli 2km8 2kmy 2kno 2koe 2kpu 2kqk 2kra 2ks0 2ksq 2ktg 2ku6 2kuw 2kvm 2kwc 2kx2 2kxs 2kyi 2q80;r:9g-9l eo-er j7 5rz\
         5sz 5zs-5zz 6jf-6jh 79j 7a9 1eeq 1efm 2kgh 2kh7 2khx 2kin 2kjd 2kk3 2klj 2km9 2kmz 2kof 2kpv 2kql 2krb 2ks1 2ksr 2kth 2ku7 2kux\
         2kvn 2kwd 2kx3 2kxt 2kyj 2q7g 2q81;rad:a7h;rad s:a7i;rad s2:a7j;rs:6g8;s:9m-9t an ew-ex ki 600-609 61n 6fv 79k 7aa 1eer 1efn\
         2kgi 2kh8 2khy 2kio 2kje 2kk4 2kku 2klk 2kma 2kn0 2knq 2kog 2kp6 2kpw 2kqm 2krc 2ks2 2kss 2kti 2ku8 2kuy 2kvo 2kwe 2kx4 2kxu\
         2kyk 2q82;sd:2q8c;sm:6jk;sr:a8r;ss:67 61q 2q8d;st:1dl1-1dl2;sv:a8s;t:9u-9z ey-ez 5s0 5sn 60a-60h 61j 6fw 79l 7ab 1ees 1efo 2kgj\
         2kh9 2khz 2kip 2kjf 2kk5 2kkv 2kll 2kmb 2kn1 2knr 2koh 2kp7 2kpx 2kqn 2krd 2ks3 2kst 2ktj 2ku9 2kuz 2kvp 2kwf 2kx5 2kxv 2kyl\
         2q83;tel:6jl;th:66 72;thz:a6s;tm:6jm;u:61-64 6x-70 a0-ab bz-c0 cz-d8 es-ev 5s1 5so 5t0 60i-60r 63o-641 79m 7ac 1eet 1efp 2kgk\
         2kha 2ki0 2kiq 2kjg 2kk6 2kkw 2klm 2kmc 2kn2 2kns 2koi 2kp8 2kpy 2kqo 2kre 2ks4 2ksu 2ktk 2kua 2kv0 2kvq 2kwg 2kx6 2kxw 2kym\
         2q84;v:5sr 5t1 60s-60v 6lg 6lw 79n 7ad 8sd 1eeu 1efq 2kgl 2khb 2ki1 2kir 2kjh 2kk7 2kkx 2kln 2kmd 2kn3 2knt 2koj 2kp9 2kpz 2kqp\
         2krf 2ks5 2ksv 2ktl 2kub 2kv1 2kvr 2kwh 2kx7 2kxx 2kyn 2q85;v m:a8u;vi:6lh 6lx;vii:6li 6ly;viii:6lj 6lz;w:ac-ad jb 5s2 60w-615\
         61k 79o 7ae 1eev 1efr 2kgm 2khc 2ki2 2kis 2kji 2kk8 2kky 2klo 2kme 2kn4 2knu 2kok 2kpa 2kq0 2kqq 2krg 2ks6 2ksw 2ktm 2kuc 2kv2\
         2kvs 2kwi 2kx8 2kxy 2kyo 2q86;wb:a8t;wc:2q8f;wz:2q7i;x:kj 616-619 6fn 6ll 6m1 79p 7af 1eew 1efs 2kgn 2khd 2ki3 2kit 2kjj 2kk9\
         2kkz 2klp 2kmf 2kn5 2knv 2kol 2kpb 2kq1 2kqr 2krh 2ks7 2ksx 2ktn 2kud 2kv3 2kvt 2kwj 2kx9 2kxz 2kyp 2q87;xi:6lm 6m2;xii:6ln 6m3\
        ;y:65 71 73 ae-ag fm-fn jc 61a-61b 61l 642-649 79q 7ag 1eex 1eft 2kgo 2khe 2ki4 2kiu 2kjk 2kka 2kl0 2klq 2kmg 2kn6 2knw 2kom\
         2kpc 2kq2 2kqs 2kri 2ks8 2ksy 2kto 2kue 2kv4 2kvu 2kwk 2kxa 2ky0 2kyq 2q88;z:ah-am 5vf 61c-61h 6jo 6js 79r 7ah 1eey 1efu 2kgp\
         2khf 2ki5 2kiv 2kjl 2kkb 2kl1 2klr 2kmh 2kn7 2kon 2kq3 2kqt 2krj 2ks9 2ksz 2ktp 2kuf 2kv5 2kvv 2kwl 2kxb 2ky1 2kyr 2q89;
        """
}
