//! Turkish, Chinese and Japanese: the verb is last, or words are not parted by spaces.

use super::super::forms::Saying::{Changed, Ended, IsSo};
use super::super::forms::Topic::{Amount, Home, Role, Time, Work};
use super::super::language::Table;

#[rustfmt::skip]
pub(super) const TURKISH: Table = Table {
    i: "ben|biz",
    my: "",
    the: "",
    now: "artık|şimdi|şu_an|şu_anda|bundan_sonra|bundan_böyle|bugünden_itibaren",
    new: "yeni",
    when: "dün|bugün|geçen_hafta|geçen_ay|geçen_yıl|bu_hafta|bu_ay|yakın_zamanda|geçenlerde|\
           sonunda|yeni|az_önce|iki_hafta_önce|bir_ay_önce",
    in_month: "",
    tails: "ve|çünkü|ama",
    nobody: "ben|biz|sen|o|siz|onlar|kim|ne|nerede|bu|şu|onun|onların|senin|sizin|biri|kimse|herkes|\
             hepsi|eğer|dün|bugün|yarın|artık|şimdi|sonra|burada|orada|ve|veya|ama|bir|de|da|değil|\
             için|gibi|kadar|ile|belki|yeni",
    no_names: "ingiliz|alman|fransız|amerikalı|türk|rus|italyan|baba|anne|müdür",
    no_endings: &[],
    towns: "istanbul|ankara|izmir|bursa|antalya|adana|konya|türkiye|almanya|avrupa|amerika|londra|\
            berlin|paris|ingiltere|fransa|isviçre|gaziantep|şanlıurfa|urfa|kocaeli|izmit|mersin|\
            diyarbakır|hatay|manisa|kayseri|samsun|balıkesir|kahramanmaraş|maraş|van|aydın|\
            tekirdağ|denizli|sakarya|adapazarı|muğla|eskişehir|mardin|trabzon|malatya|ordu|\
            erzurum|afyon|afyonkarahisar|sivas|batman|adıyaman|tokat|zonguldak|elazığ|kütahya|\
            çanakkale|osmaniye|şırnak|çorum|giresun|isparta|edirne|yozgat|aksaray|düzce|kastamonu|\
            uşak|niğde|rize|amasya|bolu|yalova|karabük|kırklareli|nevşehir|sinop|bodrum|fethiye|\
            marmaris|alanya|kuşadası|çeşme|gebze|iskenderun|tarsus|kadıköy|beşiktaş|üsküdar|şişli|\
            bakırköy|kıbrıs|hollanda|belçika|avusturya|italya|ispanya|yunanistan|abd|kanada|rusya|\
            japonya|çin|dubai|hamburg|münih|frankfurt|köln|viyana|zürih|cenevre|brüksel|amsterdam|\
            roma|milano|madrid|barselona|moskova|new york|tokyo",
    vetoes: "değil|hiç|eğer|belki|muhtemelen|istiyor|istiyordu|istedi|isterdi|istiyorum|düşünüyor|\
             düşünüyorum|diyor|dedi|iddia|sanıyor|sanırım|galiba|güya|sözde|rüya|rüyada|rüyamda|\
             roman|romanda|film|filmde|şaka|için|sadece|yalnızca|ayrıca|geçici|geçici_olarak|eskiden|\
             önceden|önce|sonra|ardından|yazıyor|yazdı|anlatıyor|anlattı|aslında|öneri|fikir|seçenek|neredeyse|plan|planlıyor|planlıyorum|hariç|\
             sırasında|ise|iken|kadar|yakında|yarın|gelecek|yalan|örnek|oyunda|küçükken|gençken|çocukken",
    roles: &[
        ("boss", "patronum|patronumuz|müdürüm|müdürümüz|şefim|amirim"),
        ("dentist", "diş_hekimim|dişçim|diş_doktorum"),
        ("doctor", "doktorum"),
        ("gp", "aile_hekimim"),
        ("hairdresser", "kuaförüm|berberim"),
        ("landlord", "ev_sahibim|ev_sahibimiz"),
        ("lawyer", "avukatım|avukatımız"),
        ("accountant", "muhasebecim|muhasebecimiz"),
        ("therapist", "terapistim|psikoloğum"),
        ("vet", "veterinerim|veterinerimiz"),
        ("coach", "antrenörüm|koçum"),
    ],
    is: "var",
    at: "her|saat|günü|günleri",
    before_clock: "saat",
    hours: "",
    after_time: "günü|günleri|de|da|te|ta|akşamı|sabahı",
    per: "",
    money: "lira|tl|₺|liraya|euro",
    days: [
        "pazartesi|pazartesiye|pazartesileri", "salı|salıya|salıları", "çarşamba|çarşambaya",
        "perşembe|perşembeye|perşembeleri", "cuma|cumaya|cumaları", "cumartesi|cumartesiye",
        "pazar|pazara|pazarları",
    ],
    months: [
        "ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos", "eylül", "ekim",
        "kasım", "aralık",
    ],
    is_unspaced: false,
    has_kana: false,
    has_cases: false,
    forms: &[
        (Home, IsSo, "WHO @now? PLACE de|da|te|ta @now? !yaşıyor|oturuyor"),
        (Home, IsSo, "@now WHO PLACE de|da|te|ta !yaşıyor|oturuyor"),
        (Home, IsSo, "@i? @now? PLACE de|da|te|ta @now? !yaşıyorum|oturuyorum|yaşıyoruz|oturuyoruz"),
        (Home, Changed, "WHO @when? PLACE e|a|ye|ya @when? !taşındı"),
        (Home, Changed, "@when WHO PLACE e|a|ye|ya !taşındı"),
        (Home, Changed, "WHO PLACE den|dan|ten|tan PLACE e|a|ye|ya !taşındı"),
        (Home, Changed, "@i? @when? PLACE e|a|ye|ya !taşındım|taşındık"),
        (Home, Ended, "WHO artık PLACE de|da|te|ta !yaşamıyor|oturmuyor"),
        (Home, Ended, "@i? artık PLACE de|da|te|ta !yaşamıyorum|oturmuyorum|yaşamıyoruz"),
        (Work, IsSo, "WHO @now? PLACE de|da|te|ta @now? !çalışıyor"),
        (Work, IsSo, "@now WHO PLACE de|da|te|ta !çalışıyor"),
        (Work, IsSo, "@i? @now? @i? PLACE de|da|te|ta @now? !çalışıyorum"),
        (Work, Changed, "WHO @when? PLACE de|da|te|ta işe !başladı"),
        (Work, Changed, "@i? @when? PLACE de|da|te|ta işe !başladım"),
        (Work, Ended, "WHO artık PLACE de|da|te|ta !çalışmıyor"),
        (Work, Ended, "@i? artık PLACE de|da|te|ta !çalışmıyorum"),
        (Role, IsSo, "@now? @new? ROLE @now? NAME @now?"),
        (Role, IsSo, "NAME @now? @new? ROLE"),
        (Amount, IsSo, "THING @now? AMOUNT @now?"),
        (Amount, IsSo, "@now THING AMOUNT"),
        (Amount, Changed, "@new THING AMOUNT"),
        (Amount, Changed, "THING @when? AMOUNT !oldu"),
        (Amount, Changed, "THING @when? AMOUNT !çıktı|yükseldi|düştü|indi"),
        (Time, IsSo, "THING @now? TIME @now?"),
        (Time, IsSo, "@now THING TIME"),
        (Time, Changed, "THING @when? TIME !oldu"),
        (Time, Changed, "THING @when? TIME !alındı|ertelendi|kaydırıldı"),
    ],
};

#[rustfmt::skip]
pub(super) const CHINESE: Table = Table {
    i: "我|我们|我家",
    my: "我的|我们的|我|我们|我家",
    the: "我的|我们的|我家的|这个|那个",
    now: "现在|目前|如今|现已|从现在起|从今天起|以后",
    new: "新",
    when: "昨天|前天|今天|上周|上个月|上个星期|去年|这周|这个月|最近|刚|刚刚|终于|已经|前几天",
    in_month: "",
    tails: "",
    nobody: "我|你|您|他|她|它|咱|们|的|了|吗|呢|吧|是|在|不|没|谁|这|那|哪|什|么|搬|住|从|个|出差|旅",
    no_names: "新房|新家|新公|新的|新办|大房|大城|楼|隔壁|宿舍|公寓|学校|公司|办公|家|外面|国外|海外|爸|父|\
               妈|母|朋友|男友|女友|城里|乡下|郊区|市区|市中心|酒店|旅馆|一|两|附近|对面|客厅|房间",
    no_endings: &["人", "性", "生"],
    towns: "北京|上海|广州|深圳|杭州|南京|成都|重庆|武汉|西安|苏州|天津|香港|台湾|台北|澳门|中国|\
            美国|日本|德国|法国|英国|欧洲|家|公司|外地|国外|海外|东京|伦敦|纽约|柏林|巴黎|长沙|\
            郑州|青岛|宁波|东莞|佛山|合肥|无锡|济南|大连|沈阳|哈尔滨|长春|厦门|福州|昆明|南昌|\
            温州|泉州|石家庄|太原|贵阳|南宁|常州|南通|徐州|嘉兴|绍兴|金华|台州|烟台|潍坊|珠海|\
            惠州|中山|海口|三亚|兰州|银川|西宁|拉萨|乌鲁木齐|呼和浩特|洛阳|襄阳|宜昌|扬州|镇江|\
            桂林|保定|唐山|威海|芜湖|浦东|海淀|朝阳|高雄|台中|台南|新竹|广东|江苏|浙江|山东|河南|\
            四川|湖北|湖南|福建|安徽|河北|陕西|山西|江西|辽宁|吉林|黑龙江|云南|贵州|广西|海南|\
            甘肃|新疆|西藏|内蒙古|宁夏|青海|国内|加拿大|澳大利亚|澳洲|新加坡|韩国|首尔|意大利|\
            西班牙|瑞士|荷兰|俄罗斯|法兰克福|慕尼黑|汉堡|旧金山|洛杉矶|硅谷|西雅图|波士顿|芝加哥|\
            多伦多|温哥华|悉尼|墨尔本|大阪|莫斯科|迪拜|泰国|曼谷",
    vetoes: "如果|要是|假如|若是|万一|想|打算|计划|准备|可能|也许|大概|据说|听说|传说|说|觉得|以为|\
             认为|考虑|应该|希望|曾经|以前|之前|当时|当年|原来|本来|暂时|临时|只|仅|也|还|另外|除了|\
             梦|开玩笑|不是|没有|没|不|对于|期间|提议|建议|方案|差点|后来|然后|写道|告诉|快要|明年|下周|\
             下个月|将|谎|例如|比如|游戏|试|小时候|年轻",
    roles: &[
        ("boss", "老板|上司|领导|主管"),
        ("dentist", "牙医"),
        ("doctor", "医生|大夫"),
        ("gp", "家庭医生"),
        ("hairdresser", "理发师|发型师"),
        ("landlord", "房东"),
        ("lawyer", "律师"),
        ("accountant", "会计"),
        ("therapist", "心理医生|心理咨询师"),
        ("vet", "兽医"),
        ("coach", "教练"),
        ("wife", "老婆|妻子|太太"),
        ("husband", "老公|丈夫"),
        ("girlfriend", "女朋友|女友"),
        ("boyfriend", "男朋友|男友"),
    ],
    is: "",
    at: "每周|每个|每|在|于|到|晚上|下午|上午|早上|中午|定在",
    before_clock: "",
    hours: "点钟|点|时",
    after_time: "半",
    per: "每月|每个月|一个月",
    money: "元|块|圆",
    days: [
        "星期一|周一|礼拜一", "星期二|周二|礼拜二", "星期三|周三|礼拜三", "星期四|周四|礼拜四",
        "星期五|周五|礼拜五", "星期六|周六|礼拜六", "星期日|星期天|周日|周天|礼拜天",
    ],
    months: ["", "", "", "", "", "", "", "", "", "", "", ""],
    is_unspaced: true,
    has_kana: false,
    has_cases: false,
    forms: &[
        (Home, IsSo, "WHO @now? !住在|住 @now? PLACE"),
        (Home, IsSo, "@now WHO !住在|住 PLACE"),
        (Home, IsSo, "@i @now? !住在|住 @now? PLACE"),
        (Home, IsSo, "@now @i !住在|住 PLACE"),
        (Home, Changed, "WHO @when? !搬到了|搬去了|搬家到了|迁到了|搬至了 PLACE"),
        (Home, Changed, "WHO @when? !搬到|搬去|搬家到 PLACE 了"),
        (Home, Changed, "WHO 已经 !搬到|搬去|搬至 PLACE 了?"),
        (Home, Changed, "WHO @when? 从 PLACE !搬到了|搬去了|搬到 PLACE 了?"),
        (Home, Changed, "@i @when? !搬到了|搬去了|搬家到了|迁到了 PLACE"),
        (Home, Changed, "@i @when? !搬到|搬去|搬家到 PLACE 了"),
        (Home, Changed, "@i @when? 从 PLACE !搬到了|搬去了|搬到 PLACE 了?"),
        (Home, Changed, "@when WHO !搬到了|搬去了|搬家到了 PLACE"),
        (Home, Changed, "@when @i !搬到了|搬去了|搬家到了 PLACE"),
        (Home, Ended, "WHO 已经? 不再 !住在|住 PLACE 了?"),
        (Home, Ended, "WHO 已经? 不 !住在|住 PLACE 了"),
        (Home, Ended, "@i 已经? 不 !住在|住 PLACE 了"),
        (Work, IsSo, "WHO @now? 在|于 PLACE !工作|上班"),
        (Work, IsSo, "@now WHO 在 PLACE !工作|上班"),
        (Work, IsSo, "@i @now? 在|于 PLACE !工作|上班"),
        (Work, IsSo, "@now @i 在 PLACE !工作|上班"),
        (Work, IsSo, "@now 在 PLACE !工作|上班"),
        (Work, Changed, "WHO @when? !跳槽到了|跳槽到|入职了 PLACE 了?"),
        (Work, Changed, "@i @when? !跳槽到了|跳槽到|入职了 PLACE 了?"),
        (Work, Ended, "WHO 已经? 不在 PLACE !工作|上班 了"),
        (Work, Ended, "@i 已经? 不在 PLACE !工作|上班 了"),
        (Work, Ended, "@i @when? 从 PLACE !辞职|离职 了"),
        (Role, IsSo, "@my @new ROLE @now? !是|叫 NAME"),
        (Role, IsSo, "@my ROLE !是 NAME"),
        (Role, IsSo, "@my ROLE @now? !叫 NAME"),
        (Role, IsSo, "@now @my ROLE !叫 NAME"),
        (Role, IsSo, "NAME @now? !是 @my @new? ROLE 了?"),
        (Amount, IsSo, "@the? THING @now? !是|为|要 AMOUNT"),
        (Amount, IsSo, "@the? THING @now? 每月|每个月|一个月? 是|要? AMOUNT"),
        (Amount, IsSo, "@now @the? THING !是|要 AMOUNT"),
        (Amount, Changed, "@the? THING @when? !涨到了|涨到|降到了|降到|调到|上调到|提高到|升到|跌到 AMOUNT 了?"),
        (Amount, Changed, "@the? THING @when? 从 AMOUNT !涨到了|涨到|降到了|降到|调到|提高到|升到 AMOUNT 了?"),
        (Amount, Changed, "新 @the? THING !是|为 AMOUNT"),
        (Time, IsSo, "@the? THING @now? 是|在|定在? TIME"),
        (Time, IsSo, "@now @the? THING 是|在 TIME"),
        (Time, Changed, "TIME 的 THING @when? !改到了|改到|改成|改为|推迟到|提前到|移到|挪到 TIME 了?"),
        (Time, Changed, "@the? THING @when? !改到了|改到|改成|改为|推迟到|提前到|移到|挪到|延期到 TIME 了?"),
    ],
};

#[rustfmt::skip]
pub(super) const JAPANESE: Table = Table {
    i: "私|僕|俺|私たち",
    my: "私の|僕の|俺の|うちの",
    the: "私の|うちの|この|その",
    now: "今は|今では|今|現在は|現在|今後は|これからは|今月から|今日から",
    new: "新しい|今度の",
    when: "先月|先週|昨日|今日|去年|最近|今週|今月|先日|やっと|ついに",
    in_month: "",
    tails: "",
    nobody: "私|僕|俺|彼|誰|何|は|が|を|に|で|へ|も|と|か|今|新",
    no_names: "一人暮らし|マンション|アパート|隣|近く|広い|一軒家|家|上|下|会社|ホテル|寮|部屋",
    no_endings: &["人", "性", "者"],
    towns: "東京|大阪|京都|名古屋|横浜|神戸|福岡|札幌|仙台|広島|日本|海外|アメリカ|ドイツ|\
            フランス|イギリス|中国|家|自宅|会社|外国|川崎|さいたま|千葉|北九州|堺|新潟|浜松|熊本|\
            相模原|岡山|静岡|船橋|鹿児島|川口|八王子|姫路|宇都宮|松山|西宮|東大阪|松戸|市川|大分|\
            倉敷|金沢|福山|尼崎|柏|町田|長崎|藤沢|豊田|高松|富山|岐阜|枚方|宮崎|横須賀|豊中|岡崎|\
            一宮|長野|高崎|奈良|和歌山|大津|前橋|盛岡|青森|秋田|山形|福島|水戸|甲府|福井|津|鳥取|\
            松江|山口|徳島|高知|佐賀|那覇|沖縄|北海道|九州|四国|関西|関東|東北|埼玉|神奈川|愛知|\
            兵庫|滋賀|三重|茨城|栃木|群馬|山梨|石川|岩手|宮城|愛媛|香川|島根|函館|旭川|渋谷|新宿|\
            品川|池袋|銀座|六本木|つくば|鎌倉|梅田|ロンドン|パリ|ニューヨーク|ベルリン|\
            シンガポール|上海|北京|香港|台湾|台北|韓国|ソウル|タイ|バンコク|カナダ|オーストラリア|\
            シドニー|イタリア|ローマ|スペイン|スイス|オランダ|ロサンゼルス|ミュンヘン|田舎|地元",
    vetoes: "もし|かも|らしい|そうです|と言|と書|と話|と聞|その後|それから|と思|予定|つもり|たい|ません|ない|夢|小説|映画|だけ|のみ|\
             臨時|一時|以前|昔|当時|前は|も|冗談|嘘|案|計画|たら|なら|ば|けど|もともと|後で|検討|\
             来月|来週|来年|例えば|ゲーム|頃|子供",
    roles: &[
        ("boss", "上司|ボス|課長"),
        ("dentist", "歯医者|歯科医"),
        ("doctor", "主治医|かかりつけ医"),
        ("hairdresser", "美容師"),
        ("landlord", "大家"),
        ("lawyer", "弁護士"),
        ("accountant", "税理士"),
        ("vet", "獣医"),
        ("coach", "コーチ"),
        ("wife", "妻"),
        ("husband", "夫"),
        ("girlfriend", "彼女"),
        ("boyfriend", "彼氏"),
    ],
    is: "",
    at: "毎週|の|午後|午前|夜|朝",
    before_clock: "",
    hours: "時",
    after_time: "半",
    per: "",
    money: "円",
    days: [
        "月曜日|月曜", "火曜日|火曜", "水曜日|水曜", "木曜日|木曜", "金曜日|金曜", "土曜日|土曜",
        "日曜日|日曜",
    ],
    months: ["", "", "", "", "", "", "", "", "", "", "", ""],
    is_unspaced: true,
    has_kana: true,
    has_cases: false,
    forms: &[
        (Home, IsSo, "WHO は|が @now? PLACE に !住んでいます|住んでいる|住んでる|在住です"),
        (Home, IsSo, "@now WHO は|が PLACE に !住んでいます|住んでいる|住んでる"),
        (Home, IsSo, "@i は @now? PLACE に !住んでいます|住んでいる|住んでる"),
        (Home, IsSo, "@now? PLACE に !住んでいます|住んでいる|住んでる"),
        (Home, Changed, "WHO は|が @when? PLACE に|へ !引っ越しました|引っ越した|引越しました|引越した|転居しました|移住しました"),
        (Home, Changed, "@when WHO は|が PLACE に|へ !引っ越しました|引っ越した|引越しました|引越した"),
        (Home, Changed, "WHO は|が @when? PLACE から PLACE に|へ !引っ越しました|引っ越した"),
        (Home, Changed, "@i は @when? PLACE に|へ !引っ越しました|引っ越した|引越しました|引越した|転居しました|移住しました"),
        (Home, Changed, "@when? PLACE に|へ !引っ越しました|引っ越した|引越しました|引越した|転居しました"),
        (Home, Ended, "WHO は もう PLACE に !住んでいません|住んでいない"),
        (Home, Ended, "@i は もう PLACE に !住んでいません|住んでいない"),
        (Work, IsSo, "WHO は|が @now? PLACE で|に !働いています|働いている|勤めています|勤めている|勤務しています"),
        (Work, IsSo, "@i は @now? PLACE で|に !働いています|働いている|勤めています|勤めている|勤務しています"),
        (Work, IsSo, "@now? PLACE で|に !働いています|働いている|勤めています|勤めている|勤務しています"),
        (Work, Changed, "WHO は|が @when? PLACE に !転職しました|転職した|入社しました|入社した"),
        (Work, Changed, "@i は @when? PLACE に !転職しました|転職した|入社しました|入社した"),
        (Work, Changed, "@when? PLACE に !転職しました|転職した|入社しました|入社した"),
        (Role, IsSo, "@my? @new ROLE は|が @now? NAME です|だ"),
        (Role, IsSo, "@my? ROLE は|が NAME です|だ"),
        (Role, IsSo, "NAME が|は @now? @my @new? ROLE です|だ"),
        (Role, Changed, "NAME が @my @new? ROLE に !なりました|なった"),
        (Role, Changed, "NAME が @new ROLE に !なりました|なった"),
        (Role, Changed, "@my? ROLE が|は NAME に !変わりました|変わった|代わりました|替わりました"),
        (Amount, IsSo, "@the? THING は @now? AMOUNT です|だ|かかります?"),
        (Amount, IsSo, "@now @the? THING は AMOUNT です|だ?"),
        (Amount, Changed, "@new THING は AMOUNT です|だ"),
        (Amount, Changed, "@the? THING は|が @when? AMOUNT に !なりました|なった|上がりました|上がった|値上がりしました|下がりました|下がった|変わりました|変更になりました"),
        (Time, IsSo, "@the? THING は @now? TIME です|だ|に_あります?"),
        (Time, IsSo, "@now @the? THING は TIME です|だ?"),
        (Time, Changed, "TIME の THING は|が @when? TIME に !変わりました|変更になりました|変更されました|変更になった|延期になりました|延期されました"),
        (Time, Changed, "@the? THING は|が @when? TIME に !変わりました|変わった|変更になりました|変更されました|変更になった|なりました|なった|延期になりました|延期されました|移りました"),
    ],
};
