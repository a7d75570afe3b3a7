//! German and Dutch.

use super::super::forms::Saying::{Changed, Ended, IsSo};
use super::super::forms::Topic::{Amount, Home, Role, Time, Work};
use super::super::language::Table;

#[rustfmt::skip]
pub(super) const GERMAN: Table = Table {
    i: "ich|wir",
    my: "mein|meine|meinen|unser|unsere|unseren",
    the: "der|die|das|den|dem|mein|meine|unser|unsere|unserer|unserem",
    now: "jetzt|nun|neu|neu_schon|jetzt_schon|neuerdings|inzwischen|mittlerweile|ab_sofort|ab_jetzt|\
          von_nun_an|seit_kurzem|seit_neuestem|seit_heute|fortan",
    new: "neue|neuer|neues|neuen",
    when: "gestern|vorgestern|heute|letzte_woche|letzten_monat|letztes_jahr|diese_woche|diesen_monat|\
           kürzlich|vor_kurzem|neulich|gerade|eben|endlich|schon|bereits|vor_einer_woche|\
           vor_zwei_wochen|vor_einem_monat|am_wochenende|am_montag|am_freitag|am_samstag|übrigens",
    in_month: "im",
    tails: "und|weil|da|seit|denn|aber",
    nobody: "ich|wir|du|er|sie|es|ihr|man|wer|was|wo|das|der|die|den|dem|dies|diese|dieser|dieses|\
             jemand|niemand|alle|beide|sein|seine|seinen|seiner|ihre|ihren|ihrer|dein|deine|euer|\
             eure|kein|keine|nicht|wenn|falls|ob|als|dass|heute|gestern|morgen|jetzt|dann|hier|dort|\
             in|im|am|um|auf|bei|mit|nach|von|zu|und|oder|aber|ein|eine|einen|auch|ist|sind|war|hat|\
             haben|wird|werden",
    no_names: "hause|haus|hofe|osten|westen|norden|süden|stadt|dorf|land|ausland|wohnung|zentrum|\
               nacht|tag|tage|licht|regen|wind|sonne|bedarf|freunden|kunden|uns|eltern|vergnügen|\
               familie|team|zelt|hotel|heim|miete|untermiete|angst|frieden|küche|nähe|berge|wg|provinz|\
               gegend|mitte|fremde|welt|schlacht|villa|firma|zentrale|garage|ferien|rente|armut|armen|\
               pension|ruhe|gefahr|teilzeit|vollzeit|schule|kita|vater|mutter|papa|mama|opa|oma|rentner|\
               rentnerin|ingenieur|ingenieurin|engländer|engländerin|franzose|französin|amerikaner|\
               amerikanerin|italiener|italienerin|österreicher|österreicherin|spanier|spanierin|pole|\
               polin|däne|dänin|chinese|chinesin|deutscher|deutsche|vegetarier|vegetarierin|veganer|\
               chef|chefin|direktor|direktorin|präsident|präsidentin|geschäftsführer|kollege|kollegin|\
               freund|freundin|single|millionär|witwer|student|studentin|lehrer|lehrerin|mann|frau|\
               weihnachten|ostern",
    no_endings: &[
        "ung", "heit", "keit", "schaft", "ität", "zimmer", "geschoss", "haus", "büro", "stadt",
    ],
    towns: "",
    vetoes: "nicht|nie|als|kein|keine|keinen|wenn|falls|sofern|ob|vielleicht|eventuell|womöglich|würde|\
             würden|wäre|hätte|könnte|könnten|sollte|sollen|soll|möchte|wollte|wollen|will|angeblich|\
             behauptet|behauptete|sagt|sagte|meint|meinte|glaubt|glaube|denkt|denke|vermutet|\
             träumt|träumte|geträumt|traum|roman|film|witz|scherz|für|nur|auch|ebenfalls|zusätzlich|\
             ausnahmsweise|vorübergehend|zeitweise|damals|früher|vorher|ursprünglich|probeweise|\
             vorschlag|idee|option|entwurf|bis|einmal|fast|beinahe|plan|geplant|überlegt|\
             dann_wieder|dann_zurück|außer|ausser|während|bald|demnächst|nächste|nächsten|nächstes|\
             hoffentlich|wohl|anscheinend|scheinbar|offenbar|laut|gerücht|gerüchten|gelogen|lüge|\
             spiel|beispiel|theoretisch|test|testweise|schreibt|schrieb|geschrieben|erzählt|erzählte|\
             berichtet|berichtete|später|danach|anschließend",
    roles: &[
        ("boss", "chef|chefin|vorgesetzter|vorgesetzte|boss"),
        ("dentist", "zahnarzt|zahnärztin"),
        ("doctor", "arzt|ärztin"),
        ("gp", "hausarzt|hausärztin"),
        ("hairdresser", "friseur|friseurin|frisör|frisörin|coiffeur|coiffeuse"),
        ("landlord", "vermieter|vermieterin"),
        ("lawyer", "anwalt|anwältin|rechtsanwalt|rechtsanwältin"),
        ("accountant", "steuerberater|steuerberaterin|treuhänder|treuhänderin"),
        ("therapist", "therapeut|therapeutin"),
        ("vet", "tierarzt|tierärztin"),
        ("coach", "trainer|trainerin"),
        ("team lead", "teamleiter|teamleiterin|teamleitung"),
        ("wife", "ehefrau"),
        ("husband", "mann|ehemann"),
    ],
    is: "ist|sind|findet|finden",
    at: "am|um|im|den|der|dem|jeden|jeweils|immer|gegen|ab|schon|abends|morgens|mittags|\
         nachmittags|vormittags",
    before_clock: "um|ab|gegen|schon",
    hours: "uhr",
    after_time: "abend|morgen|mittag|nachmittag",
    per: "pro_monat|im_monat|monatlich|pro_jahr|im_jahr|jährlich|pro_woche|pro_stunde|pro_person",
    money: "",
    days: [
        "montag|montags|montagabend|montagabends", "dienstag|dienstags|dienstagabend",
        "mittwoch|mittwochs|mittwochabend", "donnerstag|donnerstags|donnerstagabend",
        "freitag|freitags|freitagabend", "samstag|samstags|sonnabend|sonnabends",
        "sonntag|sonntags",
    ],
    months: [
        "januar|jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september",
        "oktober", "november", "dezember",
    ],
    is_unspaced: false,
    has_kana: false,
    has_cases: false,
    forms: &[
        (Home, IsSo, "WHO !wohnt|lebt @now? in PLACE @now?"),
        (Home, IsSo, "@now !wohnt|lebt WHO in PLACE"),
        (Home, IsSo, "@i? !wohne|lebe @now? in PLACE @now?"),
        (Home, IsSo, "@i !wohnen|leben @now? in PLACE @now?"),
        (Home, IsSo, "@now !wohne|lebe|wohnen|leben @i in PLACE"),
        (Home, Changed, "WHO ist @when? @now? nach PLACE @when? !gezogen|umgezogen|übersiedelt"),
        (Home, Changed, "WHO ist @when? von PLACE nach PLACE @when? !gezogen|umgezogen"),
        (Home, Changed, "WHO ist @when? in die PLACE !gezogen|umgezogen"),
        (Home, Changed, "WHO !zog @when? nach PLACE um? @when?"),
        (Home, Changed, "@i bin|sind @when? @now? nach PLACE @when? !gezogen|umgezogen"),
        (Home, Changed, "@i bin|sind @when? von PLACE nach PLACE @when? !gezogen|umgezogen"),
        (Home, Changed, "@when bin|sind @i nach PLACE !gezogen|umgezogen"),
        (Home, Changed, "@when ist WHO nach PLACE !gezogen|umgezogen"),
        (Home, Ended, "WHO !wohnt|lebt nicht_mehr in PLACE"),
        (Home, Ended, "@i? !wohne|lebe|wohnen|leben nicht_mehr in PLACE"),
        (Home, IsSo, "WHO !wohnt|lebt * in PLACE *"),
        (Home, IsSo, "@i? !wohne|lebe|wohnen|leben * in PLACE *"),
        (Work, IsSo, "WHO !arbeitet @now? bei|für PLACE @now?"),
        (Work, IsSo, "@now !arbeitet WHO bei|für PLACE"),
        (Work, IsSo, "@i? !arbeite @now? bei|für PLACE @now?"),
        (Work, IsSo, "@now !arbeite @i bei|für PLACE"),
        (Work, Changed, "WHO hat @when? bei PLACE @when? zu_arbeiten? !angefangen|begonnen"),
        (Work, Changed, "@i habe @when? bei PLACE @when? zu_arbeiten? !angefangen|begonnen"),
        (Work, Changed, "WHO hat @now? eine neue !stelle|arbeit bei PLACE"),
        (Work, Changed, "WHO hat @now? einen !neuen job bei PLACE"),
        (Work, Changed, "@i habe @now? eine neue !stelle|arbeit bei PLACE"),
        (Work, Changed, "@i habe @now? einen !neuen job bei PLACE"),
        (Work, Changed, "WHO ist @when? zu PLACE !gewechselt"),
        (Work, Changed, "@i bin @when? zu PLACE !gewechselt"),
        (Work, Ended, "WHO !arbeitet nicht_mehr bei|für PLACE"),
        (Work, Ended, "@i? !arbeite nicht_mehr bei|für PLACE"),
        (Work, Ended, "WHO hat @when? bei PLACE @when? !gekündigt|aufgehört"),
        (Work, Ended, "@i habe @when? bei PLACE @when? !gekündigt|aufgehört"),
        (Work, IsSo, "WHO !arbeitet * bei|für PLACE *"),
        (Work, IsSo, "@i? !arbeite * bei|für PLACE *"),
        (Role, IsSo, "@my @new? ROLE !heißt|heisst @now? NAME @now?"),
        (Role, IsSo, "@my @new ROLE !ist @now? NAME @now?"),
        (Role, IsSo, "@my ROLE !ist NAME"),
        (Role, IsSo, "NAME !ist @now? @my @new? ROLE @now?"),
        (Role, IsSo, "@now !ist NAME @my ROLE"),
        (Role, Changed, "@i habe|haben @now? einen|eine @new !ROLE :|,? NAME"),
        (Role, Ended, "NAME !ist nicht_mehr @my ROLE"),
        (Amount, IsSo, "@the? THING !ist|beträgt|kostet|kosten|lautet|liegt @now? bei? AMOUNT @now?"),
        (Amount, IsSo, "@now !beträgt|kostet|kosten|ist @the? THING AMOUNT"),
        (Amount, Changed, "@the @new THING !ist|beträgt|kostet|lautet AMOUNT"),
        (Amount, Changed, "@the? THING ist|sind @when? auf AMOUNT !gestiegen|gesunken|gefallen|geklettert"),
        (Amount, Changed, "@the? THING ist|sind @when? von AMOUNT auf AMOUNT !gestiegen|gesunken|gefallen"),
        (Amount, Changed, "@the? THING wurde|wurden @when? auf AMOUNT !erhöht|gesenkt|angehoben|reduziert|angepasst"),
        (Amount, Changed, "@the? THING wurde|wurden @when? von AMOUNT auf AMOUNT !erhöht|gesenkt|angehoben|reduziert"),
        (Amount, Changed, "@the? THING !steigt|stieg|sinkt|sank auf AMOUNT"),
        (Time, IsSo, "@the? THING !ist|findet|finden @now? TIME @now? statt?"),
        (Time, IsSo, "@the? THING VERB @now? TIME @now?"),
        (Time, IsSo, "@now VERB @the? THING TIME statt?"),
        (Time, Changed, "@the? THING TIME wurde|ist|wird @when? auf TIME !verschoben|verlegt|vorverlegt|vorgezogen"),
        (Time, Changed, "@the? THING wurde|ist|wird @when? auf TIME !verschoben|verlegt|vorverlegt|vorgezogen"),
        (Time, Changed, "@the? THING wurde|ist|wird von TIME auf TIME !verschoben|verlegt|vorverlegt|vorgezogen"),
        (Time, IsSo, "@the? THING VERB * TIME *"),
    ],
};

#[rustfmt::skip]
pub(super) const DUTCH: Table = Table {
    i: "ik|wij|we",
    my: "mijn|onze|ons",
    the: "de|het|een|mijn|onze|ons",
    now: "nu|nu_al|voortaan|inmiddels|tegenwoordig|sinds_kort|vanaf_nu|momenteel",
    new: "nieuwe|nieuw",
    when: "gisteren|vandaag|vorige_week|vorige_maand|vorig_jaar|afgelopen_week|afgelopen_maand|\
           deze_week|deze_maand|onlangs|pas|net|eindelijk|al|kortgeleden|trouwens",
    in_month: "in",
    tails: "en|omdat|want|sinds|maar",
    nobody: "ik|wij|we|je|jij|hij|zij|ze|het|men|wie|wat|waar|dit|dat|die|deze|de|iemand|niemand|\
             alle|allemaal|beide|zijn|haar|hun|jouw|jullie|geen|niet|als|of|dat|vandaag|gisteren|\
             morgen|nu|dan|hier|daar|in|op|om|bij|met|naar|van|voor|tot|en|maar|een|ook|is|was|\
             heeft|hebben|wordt|worden",
    no_names: "huis|thuis|stad|buitenland|engelsman|duitser|belg|fransman|vader|moeder|opa|oma|\
               ingenieur|directeur|kerst|pasen",
    no_endings: &[],
    towns: "",
    vetoes: "niet|nooit|geen|als|indien|misschien|wellicht|zou|zouden|wil|wilde|wou|willen|kan|kon|\
             moet|moest|beweert|beweerde|zegt|zei|denkt|denk|gelooft|vermoedt|droomde|droom|roman|\
             film|grap|voor|alleen|slechts|ook|eveneens|tijdelijk|uitzonderlijk|toen|vroeger|eerst|\
             oorspronkelijk|voorstel|idee|optie|concept|tot|bijna|plan|overweegt|behalve|tijdens|\
             naar_verluidt|blijkbaar|daarna|later|binnenkort|volgende|morgen|hopelijk|\
             gerucht|leugen|voorbeeld|spel|schrijft|schreef|geschreven|vertelt|vertelde|verteld",
    roles: &[
        ("boss", "baas|bazin|chef|leidinggevende"),
        ("dentist", "tandarts"),
        ("doctor", "dokter|arts"),
        ("gp", "huisarts"),
        ("hairdresser", "kapper|kapster"),
        ("landlord", "huisbaas|verhuurder"),
        ("lawyer", "advocaat|advocate"),
        ("accountant", "boekhouder|boekhoudster|accountant"),
        ("therapist", "therapeut|psycholoog"),
        ("vet", "dierenarts"),
        ("coach", "trainer|coach"),
        ("team lead", "teamleider|teamleidster"),
        ("wife", "vrouw|echtgenote"),
        ("husband", "man|echtgenoot"),
    ],
    is: "is|zijn",
    at: "op|om|elke|iedere|van|vanaf|rond",
    before_clock: "om|vanaf|rond",
    hours: "uur",
    after_time: "avond|ochtend|middag",
    per: "per_maand|per_jaar|per_week|per_persoon",
    money: "",
    days: [
        "maandag|maandagavond|maandags", "dinsdag|dinsdagavond|dinsdags", "woensdag|woensdagavond",
        "donderdag|donderdagavond", "vrijdag|vrijdagavond", "zaterdag|zaterdags", "zondag|zondags",
    ],
    months: [
        "januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september",
        "oktober", "november", "december",
    ],
    is_unspaced: false,
    has_kana: false,
    has_cases: false,
    forms: &[
        (Home, IsSo, "WHO !woont @now? in PLACE @now?"),
        (Home, IsSo, "@now !woont WHO in PLACE"),
        (Home, IsSo, "@i !woon|wonen @now? in PLACE @now?"),
        (Home, IsSo, "@now !woon|wonen @i in PLACE"),
        (Home, Changed, "WHO is @when? !verhuisd naar PLACE @when?"),
        (Home, Changed, "WHO is @when? !verhuisd van PLACE naar PLACE"),
        (Home, Changed, "WHO is @when? naar PLACE !verhuisd"),
        (Home, Changed, "WHO !verhuisde @when? naar PLACE"),
        (Home, Changed, "@i ben|zijn @when? !verhuisd naar PLACE @when?"),
        (Home, Changed, "@i ben|zijn @when? !verhuisd van PLACE naar PLACE"),
        (Home, Changed, "@i ben|zijn @when? naar PLACE !verhuisd"),
        (Home, Ended, "WHO !woont niet_meer in PLACE"),
        (Home, Ended, "@i !woon|wonen niet_meer in PLACE"),
        (Home, IsSo, "WHO !woont * in PLACE *"),
        (Home, IsSo, "@i !woon|wonen * in PLACE *"),
        (Work, IsSo, "WHO !werkt @now? bij|voor PLACE @now?"),
        (Work, IsSo, "@now !werkt WHO bij|voor PLACE"),
        (Work, IsSo, "@i !werk @now? bij|voor PLACE @now?"),
        (Work, IsSo, "@now !werk @i bij|voor PLACE"),
        (Work, Changed, "WHO is @when? !begonnen bij PLACE"),
        (Work, Changed, "WHO is @when? bij PLACE !begonnen"),
        (Work, Changed, "@i ben @when? bij PLACE !begonnen"),
        (Work, Changed, "WHO is @when? !gaan_werken bij|voor PLACE"),
        (Work, Changed, "@i ben @when? !gaan_werken bij|voor PLACE"),
        (Work, Changed, "WHO heeft @now? een nieuwe !baan bij PLACE"),
        (Work, Changed, "@i heb @now? een nieuwe !baan bij PLACE"),
        (Work, Ended, "WHO !werkt niet_meer bij|voor PLACE"),
        (Work, Ended, "@i !werk niet_meer bij|voor PLACE"),
        (Work, Ended, "@i heb @when? !ontslag genomen bij PLACE"),
        (Work, IsSo, "WHO !werkt * bij|voor PLACE *"),
        (Work, IsSo, "@i !werk * bij|voor PLACE *"),
        (Role, IsSo, "!@my @new? ROLE is|heet @now? NAME @now?"),
        (Role, IsSo, "NAME is @now? !@my @new? ROLE @now?"),
        (Role, IsSo, "@now is NAME !@my ROLE"),
        (Role, Ended, "NAME is niet_meer !@my ROLE"),
        (Amount, IsSo, "!@the THING is|bedraagt|kost|kosten @now? AMOUNT @now?"),
        (Amount, IsSo, "THING !bedraagt|kost|kosten @now? AMOUNT @now?"),
        (Amount, IsSo, "THING is !@now AMOUNT"),
        (Amount, Changed, "!@the @new THING is|bedraagt|kost AMOUNT"),
        (Amount, Changed, "@the? THING is|zijn @when? !gestegen|gedaald naar|tot AMOUNT"),
        (Amount, Changed, "@the? THING is|werd @when? !verhoogd|verlaagd naar|tot AMOUNT"),
        (Amount, Changed, "@the? THING is|werd|zijn @when? naar|tot AMOUNT !gestegen|gedaald|verhoogd|verlaagd"),
        (Time, IsSo, "@the? THING is @now? TIME @now?"),
        (Time, IsSo, "@now is @the? THING TIME"),
        (Time, IsSo, "@the? THING VERB @now? TIME @now?"),
        (Time, Changed, "@the? THING TIME is|werd|wordt @when? !verplaatst|verzet|uitgesteld|verschoven naar|tot TIME"),
        (Time, Changed, "@the? THING is|werd|wordt @when? !verplaatst|verzet|uitgesteld|verschoven naar|tot TIME"),
        (Time, Changed, "@the? THING is|werd|wordt @when? naar|tot TIME !verplaatst|verzet|uitgesteld|verschoven"),
        (Time, IsSo, "@the? THING VERB * TIME *"),
    ],
};
