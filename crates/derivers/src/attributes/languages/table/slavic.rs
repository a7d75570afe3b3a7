//! Russian and Polish.

use super::super::forms::Saying::{Changed, Ended, IsSo};
use super::super::forms::Topic::{Amount, Home, Role, Time, Work};
use super::super::language::Table;

#[rustfmt::skip]
pub(super) const RUSSIAN: Table = Table {
    i: "я|мы",
    my: "мой|моя|моё|мое|моего|моей|моим|наш|наша|нашим|нашей",
    the: "мой|моя|наш|наша|наше|наши",
    now: "теперь|сейчас|уже|отныне|с_недавних_пор|с_сегодняшнего_дня",
    new: "новый|новая|новое|новым|новой",
    when: "вчера|позавчера|сегодня|на_прошлой_неделе|в_прошлом_месяце|в_прошлом_году|\
           на_этой_неделе|в_этом_месяце|недавно|наконец|только_что|неделю_назад|месяц_назад",
    in_month: "в",
    tails: "и|а|но|потому_что|так_как|с",
    nobody: "я|мы|ты|он|она|оно|они|вы|кто|что|где|это|этот|эта|тот|та|его|её|ее|их|твой|твоя|ваш|\
             ваша|кто-то|никто|все|всё|оба|если|когда|вчера|сегодня|завтра|теперь|сейчас|тогда|здесь|\
             там|в|во|на|с|со|к|от|из|до|для|по|и|или|но|не|ни|тоже|также|был|была|было|будет",
    no_names: "англичанин|англичанка|немец|немка|француз|француженка|американец|американка|отец|\
               мама|папа|директор",
    no_endings: &[],
    towns: "москв|питер|петербург|санкт|казан|новосибирск|екатеринбург|самар|росси|украин|германи|\
            америк|китай|европ|лондон|берлин|париж|минск|киев|сибир|тбилиси|ереван|алматы|\
            казахстан|нижн|челябинск|уфа|красноярск|воронеж|перм|волгоград|краснодар|ростов|омск|\
            томск|тюмен|саратов|тольятти|ижевск|барнаул|иркутск|ульяновск|хабаровск|ярослав|\
            владивосток|махачкал|оренбург|кемеров|новокузнецк|рязан|астрахан|пенз|киров|липецк|\
            балашиха|чебоксар|калининград|тул|курск|ставропол|сочи|твер|магнитогорск|иванов|\
            брянск|белгород|сургут|владимир|архангельск|калуг|смоленск|мурманск|псков|новгород|\
            велик|вологд|кострома|костром|тамбов|череповец|якутск|грозн|крым|симферопол|\
            севастопол|орёл|орла|саранск|петрозаводск|химк|подмосков|подольск|астан|алма|бишкек|\
            ташкент|баку|батуми|белорус|беларус|узбекистан|грузи|армени|азербайджан|киргиз|\
            харьков|одесс|львов|днепр|гомел|брест|гродн|витебск|могил|польш|варшав|прага|чехи|\
            франци|итали|испани|англи|британи|сша|нью|турци|стамбул|израил|тель|эмират|дубай|\
            дубае|серби|белград|черногори|кипр|латви|рига|литв|вильнюс|эстони|таллин|финлянди|\
            хельсинки|швейцари|австри|вена|мюнхен|гамбург|амстердам|мадрид|барселон|рим|токио|\
            япони|корея|индия|канад|австрали|сингапур",
    vetoes: "не|никогда|если|может|возможно|наверное|бы|хотел|хотела|хочет|хочу|хотим|собирается|\
             собираюсь|собирался|собиралась|думает|думаю|думал|думала|говорит|сказал|сказала|\
             утверждает|считает|якобы|кажется|видимо|вроде|приснилось|сон|сне|роман|романе|фильм|\
             шутка|шучу|для|только|лишь|тоже|также|временно|раньше|прежде|тогда|изначально|когда|\
             пока|предложение|идея|вариант|почти|план|планирует|планирую|кроме|слухи|слухам|потом|\
             ещё|еще|чтобы|скоро|завтра|следующей|следующем|надеюсь|ложь|игре|пример|пишет|писал|\
             писала|написал|написала|рассказывает|рассказал|рассказала|затем|позже",
    roles: &[
        ("boss", "начальник|начальница|начальником|начальницей|босс|боссом|шеф|шефом|руководитель|\
                  руководителем"),
        ("dentist", "стоматолог|стоматологом|зубной_врач|зубным_врачом|дантист"),
        ("doctor", "врач|врачом|доктор"),
        ("gp", "терапевт|терапевтом"),
        ("hairdresser", "парикмахер|парикмахером"),
        ("landlord", "арендодатель|арендодателем"),
        ("lawyer", "адвокат|адвокатом|юрист|юристом"),
        ("accountant", "бухгалтер|бухгалтером"),
        ("therapist", "психолог|психологом|психотерапевт|психотерапевтом"),
        ("vet", "ветеринар|ветеринаром"),
        ("coach", "тренер|тренером"),
        ("wife", "жена|женой"),
        ("husband", "муж|мужем"),
    ],
    is: "проходит|будет|состоится",
    at: "в|во|по|на|каждый|каждую|каждое|с|около",
    before_clock: "в|с|на|около",
    hours: "часов|часа|час",
    after_time: "вечера|утра|дня|вечером|утром",
    per: "в_месяц|в_год|в_неделю|с_человека",
    money: "рублей|рубля|рубль|руб|₽|евро|долларов",
    days: [
        "понедельник|понедельникам|понедельника", "вторник|вторникам|вторника",
        "среда|среду|средам|среды", "четверг|четвергам|четверга", "пятница|пятницу|пятницам|пятницы",
        "суббота|субботу|субботам|субботы", "воскресенье|воскресеньям|воскресенья",
    ],
    months: [
        "январь|января|январе", "февраль|февраля|феврале", "март|марта|марте",
        "апрель|апреля|апреле", "май|мая|мае", "июнь|июня|июне", "июль|июля|июле",
        "август|августа|августе", "сентябрь|сентября|сентябре", "октябрь|октября|октябре",
        "ноябрь|ноября|ноябре", "декабрь|декабря|декабре",
    ],
    is_unspaced: false,
    has_kana: false,
    has_cases: true,
    forms: &[
        (Home, IsSo, "WHO @now? !живёт|живет|проживает @now? в|во PLACE @now?"),
        (Home, IsSo, "@now WHO !живёт|живет в|во PLACE"),
        (Home, IsSo, "@i? @now? @i? !живу|живём|живем @now? в|во PLACE @now?"),
        (Home, Changed, "WHO @when? !переехал|переехала|перебрался|перебралась @when? в|во PLACE @when?"),
        (Home, Changed, "WHO @when? !переехал|переехала из PLACE в|во PLACE"),
        (Home, Changed, "@i @when? !переехал|переехала|переехали|перебрался|перебралась @when? в|во PLACE @when?"),
        (Home, Changed, "@i @when? !переехал|переехала|переехали из PLACE в|во PLACE"),
        (Home, Ended, "WHO больше_не !живёт|живет в|во PLACE"),
        (Home, Ended, "@i? больше_не !живу|живём|живем в|во PLACE"),
        (Home, IsSo, "WHO !живёт|живет|проживает * в|во PLACE *"),
        (Home, IsSo, "@i? !живу|живём|живем * в|во PLACE *"),
        (Work, IsSo, "WHO @now? !работает @now? в|на PLACE @now?"),
        (Work, IsSo, "@now WHO !работает в|на PLACE"),
        (Work, IsSo, "@i? @now? @i? !работаю @now? в|на PLACE @now?"),
        (Work, Changed, "WHO @when? !устроился|устроилась на_работу? в|на PLACE"),
        (Work, Changed, "@i? @when? !устроился|устроилась на_работу? в|на PLACE"),
        (Work, Changed, "WHO @when? !перешёл|перешел|перешла работать|на_работу в|на PLACE"),
        (Work, Changed, "@i? @when? !перешёл|перешел|перешла работать|на_работу в|на PLACE"),
        (Work, Ended, "WHO больше_не !работает в|на PLACE"),
        (Work, Ended, "@i? больше_не !работаю в|на PLACE"),
        (Work, Ended, "WHO @when? !уволился|уволилась из PLACE"),
        (Work, Ended, "@i? @when? !уволился|уволилась из PLACE"),
        (Work, IsSo, "WHO !работает * в|на PLACE *"),
        (Work, IsSo, "@i? !работаю * в|на PLACE *"),
        (Role, IsSo, "!@my @new? ROLE @now? —|это|зовут? @now? NAME @now?"),
        (Role, IsSo, "@now !@my ROLE —|это|зовут? NAME"),
        (Role, IsSo, "NAME @now? —? @now? !@my @new? ROLE @now?"),
        (Role, Ended, "NAME больше_не !@my ROLE"),
        (Amount, IsSo, "@the? THING @now? !стоит|составляет @now? AMOUNT @now?"),
        (Amount, IsSo, "@the? THING —? !@now —? AMOUNT"),
        (Amount, IsSo, "@now @the? THING !стоит|составляет AMOUNT"),
        (Amount, IsSo, "@the? THING —? AMOUNT"),
        (Amount, Changed, "!@new THING —? AMOUNT"),
        (Amount, Changed, "@the? THING @when? !вырос|выросла|выросли|поднялся|поднялась|подорожал|подорожала|снизился|снизилась|упал|упала до AMOUNT @when?"),
        (Amount, Changed, "@the? THING @when? !вырос|выросла|выросли|поднялся|поднялась|снизился|снизилась|упал|упала с AMOUNT до AMOUNT"),
        (Time, IsSo, "@the? THING @now? проходит|состоится|будет? @now? TIME @now?"),
        (Time, IsSo, "@now @the? THING проходит? TIME"),
        (Time, IsSo, "@the? THING VERB @now? TIME @now?"),
        (Time, Changed, "@the? THING TIME @when? !перенесли TIME"),
        (Time, Changed, "@the? THING @when? !перенесли|перенесён|перенесен|перенесена|перенесено|перенесены TIME"),
        (Time, Changed, "@when? !перенесли @the? THING TIME"),
    ],
};

#[rustfmt::skip]
pub(super) const POLISH: Table = Table {
    i: "ja|my",
    my: "mój|moja|moje|moim|moją|nasz|nasza|naszym|naszą",
    the: "mój|moja|moje|nasz|nasza|nasze",
    now: "teraz|obecnie|już|odtąd|od_teraz|od_niedawna|od_dziś|od_dzisiaj",
    new: "nowy|nowa|nowe|nowym|nową",
    when: "wczoraj|przedwczoraj|dziś|dzisiaj|w_zeszłym_tygodniu|w_zeszłym_miesiącu|w_zeszłym_roku|\
           w_tym_tygodniu|w_tym_miesiącu|niedawno|ostatnio|wreszcie|właśnie|tydzień_temu|miesiąc_temu|\
           dwa_tygodnie_temu",
    in_month: "w|we",
    tails: "i|oraz|bo|ponieważ|gdyż|a|ale|od",
    nobody: "ja|my|ty|on|ona|ono|oni|one|wy|kto|co|gdzie|to|ten|ta|tamten|jego|jej|ich|twój|twoja|wasz|\
             wasza|ktoś|nikt|wszyscy|wszystko|oba|jeśli|kiedy|gdy|wczoraj|dziś|dzisiaj|jutro|teraz|\
             wtedy|tu|tam|w|we|na|z|ze|do|od|dla|po|przy|i|lub|ale|nie|ani|też|także|jest|są|był|była|\
             było|będzie|się",
    no_names: "anglik|angielka|niemiec|niemka|francuz|francuzka|amerykanin|amerykanka|ukrainiec|\
               ukrainka|czech|czeszka|włoch|włoszka|polak|polka|ojcem|mamą|dyrektorem",
    no_endings: &[],
    towns: "warszaw|krak|gdańsk|gdyni|wrocław|pozna|łodzi|łódź|katowic|lublin|szczecin|polsc|\
            polsk|niemcz|anglii|londyn|berlin|paryż|europ|ameryc|szwajcar|bydgoszcz|białyst|\
            białymst|częstochow|radom|toru|sosnow|kielc|rzesz|gliwic|zabrz|olsztyn|bielsk|bytom|\
            zielon|rybnik|ruda|tychy|opol|gorz|elbl|płock|dąbrow|wałbrzych|włocław|tarn|chorz|\
            koszalin|kalisz|legnic|grudzi|jaworzn|słupsk|jastrz|jelen|siedlc|mysłowic|konin|\
            piotrk|sopo|sopot|gdyn|łodz|nowym sącz|nowym targ|zakop|śląsk|mazur|pomorz|podlas|\
            małopols|wielkopols|niemiec|angli|francj|hiszpan|włosz|włoch|holand|belgi|norweg|\
            szwecj|dania|irland|szkocj|austri|czech|słowac|ukrain|litw|hamburg|monach|frankfur|\
            praga|pradz|wiedn|wiede|dublin|oslo|sztokholm|kopenha|bruksel|brukse|amsterdam|madryt|\
            barcelon|rzym|zurych|genew|kanad|usa|chiny|japon",
    vetoes: "nie|nigdy|jeśli|jeżeli|gdyby|może|chyba|by|chciał|chciała|chce|chcę|chciałbym|zamierza|\
             zamierzam|myśli|myślę|mówi|powiedział|powiedziała|twierdzi|uważa|podobno|rzekomo|\
             prawdopodobnie|śnił|śniło|sen|śnie|powieść|powieści|film|żart|dla|tylko|jedynie|też|także|\
             również|tymczasowo|chwilowo|wyjątkowo|wcześniej|dawniej|kiedyś|wtedy|pierwotnie|kiedy|gdy|\
             propozycja|pomysł|opcja|prawie|plan|planuje|planuję|oprócz|podczas|potem|jeszcze|żeby|aż|\
             wkrótce|jutro|przyszłym|plotka|kłamstwo|przykład|grze|pisze|pisał|pisała|napisał|\
             napisała|opowiada|opowiadał|opowiadała|później|następnie",
    roles: &[
        ("boss", "szef|szefem|szefowa|szefową|przełożony|przełożonym|przełożona|przełożoną|kierownik|\
                  kierownikiem|kierowniczka|kierowniczką"),
        ("dentist", "dentysta|dentystą|dentystka|dentystką|stomatolog|stomatologiem"),
        ("doctor", "lekarz|lekarzem|lekarka|lekarką"),
        ("gp", "lekarz_rodzinny|lekarzem_rodzinnym"),
        ("hairdresser", "fryzjer|fryzjerem|fryzjerka|fryzjerką"),
        ("landlord", "wynajmujący|właściciel_mieszkania"),
        ("lawyer", "adwokat|adwokatem|prawnik|prawnikiem|prawniczka"),
        ("accountant", "księgowy|księgowym|księgowa|księgową"),
        ("therapist", "terapeuta|terapeutą|terapeutka|terapeutką|psycholog|psychologiem"),
        ("vet", "weterynarz|weterynarzem"),
        ("coach", "trener|trenerem|trenerka|trenerką"),
        ("wife", "żona|żoną"),
        ("husband", "mąż|mężem"),
    ],
    is: "jest|są|odbywa|odbywają",
    at: "w|we|o|od|każdy|każdą|każdego|na|około|się",
    before_clock: "o|od|na|około",
    hours: "godzina",
    after_time: "wieczorem|rano|po_południu",
    per: "miesięcznie|na_miesiąc|rocznie|za_miesiąc|od_osoby",
    money: "zł|złotych|złote|złoty|pln|euro",
    days: [
        "poniedziałek|poniedziałki|poniedziałku", "wtorek|wtorki|wtorku", "środa|środę|środy",
        "czwartek|czwartki|czwartku", "piątek|piątki|piątku", "sobota|sobotę|soboty",
        "niedziela|niedzielę|niedziele",
    ],
    months: [
        "styczeń|stycznia|styczniu", "luty|lutego|lutym", "marzec|marca|marcu",
        "kwiecień|kwietnia|kwietniu", "maj|maja|maju", "czerwiec|czerwca|czerwcu",
        "lipiec|lipca|lipcu", "sierpień|sierpnia|sierpniu", "wrzesień|września|wrześniu",
        "październik|października|październiku", "listopad|listopada|listopadzie",
        "grudzień|grudnia|grudniu",
    ],
    is_unspaced: false,
    has_kana: false,
    has_cases: true,
    forms: &[
        (Home, IsSo, "WHO @now? !mieszka @now? w|we PLACE @now?"),
        (Home, IsSo, "@now WHO !mieszka w|we PLACE"),
        (Home, IsSo, "@i? @now? @i? !mieszkam|mieszkamy @now? w|we PLACE @now?"),
        (Home, Changed, "WHO @when? !przeprowadził|przeprowadziła się @when? do PLACE @when?"),
        (Home, Changed, "WHO @when? się @when? !przeprowadził|przeprowadziła do PLACE"),
        (Home, Changed, "WHO !przeprowadził|przeprowadziła się z|ze PLACE do PLACE"),
        (Home, Changed, "@i? @when? !przeprowadziłem|przeprowadziłam|przeprowadziliśmy|przeprowadziłyśmy się @when? do PLACE @when?"),
        (Home, Changed, "@i? !przeprowadziłem|przeprowadziłam|przeprowadziliśmy się z|ze PLACE do PLACE"),
        (Home, Ended, "WHO już_nie !mieszka w|we PLACE"),
        (Home, Ended, "WHO nie !mieszka już w|we PLACE"),
        (Home, Ended, "@i? już_nie !mieszkam|mieszkamy w|we PLACE"),
        (Home, Ended, "@i? nie !mieszkam|mieszkamy już w|we PLACE"),
        (Home, IsSo, "WHO !mieszka * w|we PLACE *"),
        (Home, IsSo, "@i? !mieszkam|mieszkamy * w|we PLACE *"),
        (Work, IsSo, "WHO @now? !pracuje @now? w|we|dla PLACE @now?"),
        (Work, IsSo, "@now WHO !pracuje w|we|dla PLACE"),
        (Work, IsSo, "@i? @now? @i? !pracuję @now? w|we|dla PLACE @now?"),
        (Work, Changed, "WHO @when? !zaczął|zaczęła pracę w|we PLACE"),
        (Work, Changed, "@i? @when? !zacząłem|zaczęłam pracę w|we PLACE"),
        (Work, Changed, "WHO ma nową !pracę w|we PLACE"),
        (Work, Changed, "@i? mam nową !pracę w|we PLACE"),
        (Work, Ended, "WHO już_nie !pracuje w|we|dla PLACE"),
        (Work, Ended, "WHO nie !pracuje już w|we|dla PLACE"),
        (Work, Ended, "@i? już_nie !pracuję w|we|dla PLACE"),
        (Work, Ended, "@i? nie !pracuję już w|we|dla PLACE"),
        (Work, IsSo, "WHO !pracuje * w|we|dla PLACE *"),
        (Work, IsSo, "@i? !pracuję * w|we|dla PLACE *"),
        (Role, IsSo, "!@my @new? ROLE @now? to|jest|nazywa_się @now? NAME @now?"),
        (Role, IsSo, "@now !@my ROLE to|jest NAME"),
        (Role, IsSo, "NAME jest @now? !@my @new? ROLE @now?"),
        (Role, IsSo, "NAME to @now? !@my @new? ROLE @now?"),
        (Role, Ended, "NAME nie_jest_już|już_nie_jest !@my ROLE"),
        (Amount, IsSo, "@the? THING @now? !wynosi|kosztuje|kosztują @now? AMOUNT @now?"),
        (Amount, IsSo, "@now @the? THING !wynosi|kosztuje|kosztują AMOUNT"),
        (Amount, IsSo, "@the? THING to|jest? @now? AMOUNT @now?"),
        (Amount, IsSo, "@the? THING to|jest !@now AMOUNT"),
        (Amount, Changed, "@the? @new THING to|wynosi|kosztuje AMOUNT"),
        (Amount, Changed, "@the? THING @when? !wzrósł|wzrosła|wzrosło|wzrosły|spadł|spadła|spadło|spadły do AMOUNT @when?"),
        (Amount, Changed, "@the? THING !wzrósł|wzrosła|wzrosło|wzrosły|spadł|spadła|spadło|spadły z AMOUNT do AMOUNT"),
        (Time, IsSo, "@the? THING @now? jest|odbywa? @now? TIME @now?"),
        (Time, IsSo, "@now @the? THING jest TIME"),
        (Time, IsSo, "@the? THING VERB @now? TIME @now?"),
        (Time, Changed, "@the? THING został|została|zostało @when? !przeniesiony|przeniesiona|przeniesione|przełożony|przełożona|przełożone TIME"),
        (Time, Changed, "@the? THING !przeniesiono|przełożono TIME"),
        (Time, IsSo, "@the? THING VERB * TIME *"),
    ],
};
