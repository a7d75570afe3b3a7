//! Records and beliefs in several languages in one space.

use crate::book::{Book, note};

const RECORDS: [&str; 7] = [
    "We photographed the old houses at the harbour of Santa Monica.",
    "Wir haben die alten Häuser am Hafen fotografiert.",
    "Hemos comprado dos bicicletas rojas para los niños en Santa Mónica.",
    "Мы купили два красных велосипеда для детей.",
    "Chúng tôi mua hai chiếc xe đạp đỏ cho các con.",
    "我昨天在北京大学见了老师",
    "เมื่อวานฉันไปเชียงใหม่",
];

/// A sentence in each of forty languages, and words of it to search for.
const SENTENCES: [(&str, &str); 40] = [
    ("The lighthouse keeper painted the old door green.", "lighthouse door"),
    ("Der Leuchtturmwärter strich die alte Tür grün.", "Leuchtturmwärter Tür"),
    ("Le gardien du phare a peint la vieille porte en vert.", "gardien phare porte"),
    ("El farero pintó de verde la puerta vieja.", "farero puerta"),
    ("O faroleiro pintou a porta velha de verde.", "faroleiro porta"),
    ("Il guardiano del faro ha dipinto di verde la vecchia porta.", "guardiano faro"),
    ("De vuurtorenwachter heeft de oude deur groen geschilderd.", "vuurtorenwachter deur"),
    ("Fyrvaktaren målade den gamla dörren grön.", "fyrvaktaren dörren"),
    ("Fyrpasseren malte den gamle døren grønn.", "fyrpasseren døren"),
    ("Fyrmesteren malede den gamle dør grøn.", "fyrmesteren dør"),
    ("Majakanvartija maalasi vanhan oven vihreäksi.", "majakanvartija oven"),
    ("A világítótorony őre zöldre festette a régi ajtót.", "világítótorony ajtót"),
    ("Latarnik pomalował stare drzwi na zielono.", "latarnik drzwi"),
    ("Strážce majáku natřel staré dveře nazeleno.", "strážce majáku dveře"),
    ("Strážca majáka natrel staré dvere na zeleno.", "strážca majáka dvere"),
    ("Čuvar svjetionika obojio je stara vrata u zeleno.", "čuvar svjetionika vrata"),
    ("Svetilničar je stara vrata prebarval na zeleno.", "svetilničar prebarval"),
    ("Paznicul farului a vopsit ușa veche în verde.", "paznicul farului ușa"),
    ("Пазачът на фара боядиса старата врата в зелено.", "пазачът фара врата"),
    ("Смотритель маяка покрасил старую дверь в зелёный цвет.", "смотритель маяка дверь"),
    ("Доглядач маяка пофарбував старі двері в зелений колір.", "доглядач пофарбував двері"),
    ("Ο φαροφύλακας έβαψε την παλιά πόρτα πράσινη.", "φαροφύλακας πόρτα"),
    ("Deniz feneri bekçisi eski kapıyı yeşile boyadı.", "feneri bekçisi kapıyı"),
    ("Majakavaht värvis vana ukse roheliseks.", "majakavaht ukse"),
    ("Bākas uzraugs nokrāsoja vecās durvis zaļas.", "bākas uzraugs durvis"),
    ("Švyturio prižiūrėtojas senas duris nudažė žaliai.", "švyturio prižiūrėtojas duris"),
    ("Vitavörðurinn málaði gömlu hurðina græna.", "vitavörðurinn hurðina"),
    ("Rhoddodd ceidwad y goleudy baent gwyrdd ar yr hen ddrws.", "ceidwad goleudy ddrws"),
    ("Itsasargizainak ate zaharra berdez margotu zuen.", "itsasargizainak margotu"),
    ("El faroner va pintar la porta vella de color verd.", "faroner pintar vella"),
    ("Penjaga mercusuar mengecat pintu tua itu hijau.", "penjaga mercusuar pintu"),
    ("Mlinzi wa mnara alipaka mlango wa zamani rangi ya kijani.", "mlinzi mnara mlango"),
    ("Người gác hải đăng sơn cánh cửa cũ màu xanh.", "gác hải đăng cửa"),
    ("灯台守は古い扉を緑色に塗った。", "灯台守 扉"),
    ("看守灯塔的人把旧门漆成了绿色。", "看守灯塔 旧门"),
    ("등대지기가 낡은 문을 초록색으로 칠했다.", "등대지기가 초록색으로"),
    ("คนเฝ้าประภาคารทาสีประตูเก่าเป็นสีเขียว", "คนเฝ้าประภาคาร"),
    ("صبغ حارس المنارة الباب القديم باللون الأخضر.", "حارس المنارة"),
    ("שומר המגדלור צבע את הדלת הישנה בירוק.", "שומר המגדלור"),
    ("प्रकाशस्तंभ के रखवाले ने पुराने दरवाज़े को हरा रंग दिया।", "प्रकाशस्तंभ दरवाज़े"),
];

/// Most terms of a word of a question: one in each language that has a stemmer, and its own.
const TERMS_OF_WORD_MAX: usize = 20;

/// A space whose records arrive in several folds.
fn space() -> Book<store::sqlite::SqliteSpace> {
    let mut book = Book::in_file();
    for (number, text) in RECORDS.iter().enumerate() {
        book.evidence(&note(&number.to_string(), text), &[]);
        if number % 2 == 0 {
            book.advance();
        }
    }
    book.advance();
    book
}

#[test]
fn a_record_is_found_by_other_forms_of_its_words_in_its_language() {
    let book = space();
    for (question, expected) in [
        ("Which house did they photograph?", 0),
        ("Wer fotografierte das alte Haus?", 1),
        ("alte Haus", 1),
        ("¿Qué bicicleta roja era para el niño?", 2),
        ("Какой красный велосипед?", 3),
        ("Chiếc xe đạp của ai?", 4),
        ("北京大学的老师是谁？", 5),
        ("เชียงใหม่", 6),
    ] {
        assert_eq!(
            book.find(question).first().map(String::as_str),
            Some(RECORDS[expected]),
            "{question}"
        );
    }
}

#[test]
fn a_name_is_found_in_every_language_of_the_space() {
    let book = space();
    for question in ["Santa Monica", "Where is Santa Monica?", "¿Dónde está Santa Mónica?"] {
        let mut found = book.find(question);
        found.sort_unstable();
        assert_eq!(found, [RECORDS[2], RECORDS[0]], "{question}");
    }
}

#[test]
fn a_space_of_forty_languages_finds_each_and_asks_for_few_terms() {
    let mut book = Book::in_file();
    for (number, (text, _)) in SENTENCES.iter().enumerate() {
        book.evidence(&note(&number.to_string(), text), &[]);
    }
    book.advance();
    for (text, words) in SENTENCES {
        assert_eq!(book.find(words).first().map(String::as_str), Some(text), "{words}");
        let terms = book.ledger.search(|search, analyzer| {
            let question = search.question(words, analyzer, None)?;
            Ok(question.terms.iter().map(|term| term.all().count()).max())
        });
        let most = terms.unwrap().unwrap_or_default();
        assert!((1..=TERMS_OF_WORD_MAX).contains(&most), "{words}: {most}");
    }
}
