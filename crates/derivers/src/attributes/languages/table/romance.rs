//! French, Spanish and Italian.

use super::super::forms::Saying::{Changed, Ended, IsSo};
use super::super::forms::Topic::{Amount, Home, Role, Time, Work};
use super::super::language::Table;

#[rustfmt::skip]
pub(super) const FRENCH: Table = Table {
    i: "je|j'|nous|on",
    my: "mon|ma|mes|notre|nos",
    the: "le|la|l'|les|mon|ma|notre|nos",
    now: "maintenant|désormais|dorénavant|à_présent|actuellement|depuis_peu|aujourd'_hui",
    new: "nouveau|nouvel|nouvelle",
    when: "hier|avant-hier|la_semaine_dernière|le_mois_dernier|l'_année_dernière|cette_semaine|\
           ce_mois-ci|récemment|enfin|déjà|finalement|justement|il_y_a_une_semaine|\
           il_y_a_deux_semaines|il_y_a_un_mois|en_fait",
    in_month: "en",
    tails: "et|car|parce_que|puisque|depuis|mais",
    nobody: "je|j'|nous|on|tu|il|elle|ils|elles|vous|qui|que|quoi|où|ça|cela|ce|c'|cette|ces|lui|\
             leur|leurs|son|sa|ses|ton|ta|tes|votre|vos|quelqu'|personne|tous|toutes|si|quand|hier|\
             aujourd'|demain|maintenant|alors|ici|là|en|à|au|aux|chez|avec|dans|sur|pour|par|et|ou|\
             mais|un|une|aussi|est|sont|était|a|ont|ne|n'|pas|se|s'",
    no_names: "maison|ville|campagne|étranger|français|française|anglais|anglaise|allemand|allemande|\
               papa|maman|ingénieur|directeur|directrice|noël|pâques",
    no_endings: &[],
    towns: "",
    vetoes: "ne|n'|pas|jamais|si|peut-être|voulait|veut|voudrait|veux|voulais|aimerait|aimerais|\
             pourrait|devrait|serait|aurait|prétend|prétendait|affirme|dit|disait|pense|pensait|croit|\
             crois|paraît|apparemment|selon|rêvé|rêve|roman|film|blague|pour|seulement|uniquement|\
             sauf|aussi|également|avant|autrefois|jadis|époque|initialement|temporairement|\
             provisoirement|exceptionnellement|quand|lorsque|jusqu'|jusque|proposition|idée|option|\
             envisage|hésite|presque|projet|pendant|puis|bientôt|prochain|prochaine|demain|rumeur|\
             mensonge|jeu|exemple|faux|essai|,_écrit|écrit_que|a_écrit|écrivait|raconte|racontait|\
             raconté|ensuite|plus_tard",
    roles: &[
        ("boss", "chef|cheffe|patron|patronne|supérieur|supérieure"),
        ("dentist", "dentiste"),
        ("doctor", "médecin|docteur"),
        ("gp", "médecin_traitant|médecin_de_famille|généraliste"),
        ("hairdresser", "coiffeur|coiffeuse"),
        ("landlord", "propriétaire|proprio|bailleur"),
        ("lawyer", "avocat|avocate"),
        ("accountant", "comptable"),
        ("therapist", "thérapeute|psy|psychologue"),
        ("vet", "vétérinaire|véto"),
        ("coach", "coach|entraîneur|entraîneuse"),
        ("wife", "femme|épouse"),
        ("husband", "mari"),
    ],
    is: "est|sont|lieu",
    at: "le|les|l'|au|à|tous|chaque|du|de|dès|vers",
    before_clock: "à|dès|vers",
    hours: "h|heures|heure",
    after_time: "soir|matin|après-midi|prochain",
    per: "par_mois|par_an|par_semaine|par_personne|le_mois|mensuels",
    money: "",
    days: [
        "lundi|lundis", "mardi|mardis", "mercredi|mercredis", "jeudi|jeudis",
        "vendredi|vendredis", "samedi|samedis", "dimanche|dimanches",
    ],
    months: [
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
        "octobre", "novembre", "décembre",
    ],
    is_unspaced: false,
    has_kana: false,
    has_cases: false,
    forms: &[
        (Home, IsSo, "WHO !habite|vit|réside @now? à|en|au PLACE @now?"),
        (Home, IsSo, "@now ,? WHO !habite|vit|réside à|en|au PLACE"),
        (Home, IsSo, "@i !habite|vis|habitons|vivons @now? à|en|au PLACE @now?"),
        (Home, IsSo, "@now ,? @i !habite|vis|habitons|vivons à|en|au PLACE"),
        (Home, Changed, "WHO a @when? !déménagé|emménagé @when? à|en|au PLACE @when?"),
        (Home, Changed, "WHO a @when? !déménagé de|d' PLACE à|en|au PLACE"),
        (Home, Changed, "@i ai|avons|a @when? !déménagé|emménagé @when? à|en|au PLACE @when?"),
        (Home, Changed, "WHO vient de|d' !déménager|emménager à|en|au PLACE"),
        (Home, Changed, "@i viens|venons de|d' !déménager|emménager à|en|au PLACE"),
        (Home, Changed, "WHO s'_est @when? !installé|installée à|en|au PLACE"),
        (Home, Changed, "@i me_suis @when? !installé|installée à|en|au PLACE"),
        (Home, Ended, "WHO n' !habite plus à|en|au PLACE"),
        (Home, Ended, "WHO ne !vit plus à|en|au PLACE"),
        (Home, Ended, "je n' !habite plus à|en|au PLACE"),
        (Home, IsSo, "WHO !habite|vit|réside * à|en|au PLACE *"),
        (Home, IsSo, "@i !habite|vis|habitons|vivons * à|en|au PLACE *"),
        (Work, IsSo, "WHO !travaille|bosse @now? chez|pour PLACE @now?"),
        (Work, IsSo, "@now ,? WHO !travaille|bosse chez|pour PLACE"),
        (Work, IsSo, "@i !travaille|bosse @now? chez|pour PLACE @now?"),
        (Work, IsSo, "@now ,? @i !travaille|bosse chez|pour PLACE"),
        (Work, Changed, "WHO a @when? !commencé @when? chez PLACE"),
        (Work, Changed, "@i ai @when? !commencé @when? chez PLACE"),
        (Work, Changed, "WHO a été !embauché|embauchée|engagé|engagée chez|par PLACE"),
        (Work, Changed, "@i ai été !embauché|embauchée|engagé|engagée chez|par PLACE"),
        (Work, Changed, "WHO a un nouveau !travail|boulot|poste chez PLACE"),
        (Work, Changed, "@i ai un nouveau !travail|boulot|poste chez PLACE"),
        (Work, Ended, "WHO ne !travaille|bosse plus chez|pour PLACE"),
        (Work, Ended, "je ne !travaille|bosse plus chez|pour PLACE"),
        (Work, Ended, "@i ai @when? !démissionné de|chez PLACE"),
        (Work, IsSo, "WHO !travaille|bosse * chez|pour PLACE *"),
        (Work, IsSo, "@i !travaille|bosse * chez|pour PLACE *"),
        (Role, IsSo, "!@my @new? ROLE est|s'_appelle @now? NAME @now?"),
        (Role, IsSo, "!@my @new? ROLE , c'_est @now? NAME"),
        (Role, IsSo, "NAME est @now? !@my @new? ROLE @now?"),
        (Role, Ended, "NAME n'_est plus !@my ROLE"),
        (Amount, IsSo, "@the? THING !est|coûte|coûtent @now? de|à? AMOUNT @now?"),
        (Amount, IsSo, "@the? THING s' !élève @now? à AMOUNT"),
        (Amount, IsSo, "@now ,? @the? THING !est|coûte|coûtent de? AMOUNT"),
        (Amount, Changed, "@the @new THING !est|coûte de? AMOUNT"),
        (Amount, Changed, "@the? THING !passe|passent à AMOUNT"),
        (Amount, Changed, "@the? THING est @when? !passé|passée|monté|montée|descendu|descendue à AMOUNT"),
        (Amount, Changed, "@the? THING est @when? !passé|passée de AMOUNT à AMOUNT"),
        (Amount, Changed, "@the? THING a @when? !augmenté|baissé|grimpé|diminué à AMOUNT"),
        (Amount, Changed, "@the? THING a !changé , c'_est @now? AMOUNT"),
        (Time, IsSo, "@the? THING !est @now? TIME @now?"),
        (Time, IsSo, "@the? THING a @now? !lieu @now? TIME @now?"),
        (Time, IsSo, "@the? THING est !prévu|prévue|fixé|fixée @now? TIME"),
        (Time, IsSo, "@the? THING s'|se? VERB @now? TIME @now?"),
        (Time, IsSo, "@now ,? @the? THING s'|se? VERB TIME"),
        (Time, Changed, "@the? THING TIME est|a_été @when? !reporté|reportée|déplacé|déplacée|avancé|avancée|décalé|décalée|repoussé|repoussée TIME"),
        (Time, Changed, "@the? THING est|a_été @when? !reporté|reportée|déplacé|déplacée|avancé|avancée|décalé|décalée|repoussé|repoussée TIME"),
        (Time, IsSo, "@the? THING s'|se? VERB * TIME *"),
    ],
};

#[rustfmt::skip]
pub(super) const SPANISH: Table = Table {
    i: "yo|nosotros",
    my: "mi|mis|nuestro|nuestra",
    the: "el|la|los|las|mi|nuestro|nuestra",
    now: "ahora|ya|actualmente|hoy_en_día|desde_ahora|a_partir_de_ahora|desde_hace_poco",
    new: "nuevo|nueva",
    when: "ayer|anteayer|hoy|la_semana_pasada|el_mes_pasado|el_año_pasado|esta_semana|este_mes|\
           recientemente|hace_poco|por_fin|finalmente|hace_una_semana|hace_dos_semanas|hace_un_mes",
    in_month: "en",
    tails: "y|porque|pues|desde|pero",
    nobody: "yo|nosotros|tú|él|ella|ellos|ellas|usted|ustedes|quien|quién|que|qué|dónde|donde|esto|\
             eso|este|esta|ese|esa|lo|le|les|su|sus|tu|tus|alguien|nadie|todos|todas|si|cuando|ayer|\
             hoy|mañana|ahora|entonces|aquí|allí|en|a|al|con|para|por|y|o|pero|un|una|también|es|son|\
             era|está|ha|han|no|ni|se|me|nos",
    no_names: "casa|ciudad|pueblo|inglés|inglesa|francés|francesa|alemán|alemana|papá|mamá|\
               ingeniero|ingeniera|director|directora|navidad|navidades|pascua|verano",
    no_endings: &[],
    towns: "madrid|barcelona|sevilla|valencia|bilbao|zaragoza|málaga|granada|méxico|buenos aires|\
            bogotá|lima|santiago|caracas|quito|montevideo|españa|argentina|chile|perú|colombia|\
            francia|alemania|suiza|italia|parís|londres|berlín|roma|lisboa|europa|américa|estados|\
            toledo|murcia|palma|palma de mallorca|mallorca|las palmas|alicante|córdoba|valladolid|\
            vigo|gijón|oviedo|vitoria|la coruña|a coruña|elche|terrassa|sabadell|badalona|jerez|\
            cartagena|móstoles|alcalá|alcalá de henares|fuenlabrada|leganés|getafe|almería|burgos|\
            santander|castellón|albacete|alcorcón|logroño|badajoz|coruña|habana|paz|plata|palmas|\
            ángeles|salamanca|huelva|marbella|lleida|lérida|tarragona|león|cádiz|jaén|ourense|\
            lugo|girona|gerona|cáceres|segovia|ávila|cuenca|huesca|teruel|soria|zamora|palencia|\
            pamplona|san sebastián|donostia|ibiza|menorca|tenerife|canarias|guadalajara|monterrey|\
            puebla|tijuana|cancún|ciudad de méxico|mérida|querétaro|rosario|mendoza|la plata|\
            medellín|cali|barranquilla|arequipa|cusco|valparaíso|viña del mar|concepción|\
            guayaquil|asunción|la paz|la habana|san josé|panamá|santo domingo|uruguay|paraguay|\
            bolivia|ecuador|venezuela|cuba|costa rica|guatemala|honduras|nicaragua|andalucía|\
            cataluña|galicia|asturias|aragón|extremadura|navarra|cantabria|castilla|euskadi|\
            portugal|estados unidos|inglaterra|reino unido|irlanda|escocia|holanda|países bajos|\
            bélgica|austria|suecia|noruega|dinamarca|polonia|japón|china|brasil|canadá|miami|\
            nueva york|los ángeles|chicago|bruselas|ámsterdam|viena|zúrich|ginebra|múnich|\
            fráncfort|hamburgo|milán|oporto|dublín|tokio",
    vetoes: "no|nunca|si|quizás|quizá|tal_vez|a_lo_mejor|quería|quiere|quiero|querría|gustaría|podría|\
             debería|sería|habría|dice|dijo|afirma|cree|creo|creía|piensa|pensaba|supuestamente|según|\
             parece|sueño|soñé|soñó|novela|película|broma|para|por|solo|sólo|solamente|también|antes|\
             temporalmente|provisionalmente|excepcionalmente|cuando|hasta|propuesta|idea|opción|casi|\
             planea|plan|durante|excepto|originalmente|luego|después|pronto|próximo|próxima|mañana|\
             mentira|rumor|ejemplo|juego|falso|prueba|escribe|escribió|,_cuenta|cuenta_que|contó|\
             más_tarde",
    roles: &[
        ("boss", "jefe|jefa"),
        ("dentist", "dentista"),
        ("doctor", "médico|médica|doctor|doctora"),
        ("gp", "médico_de_cabecera|médica_de_cabecera"),
        ("hairdresser", "peluquero|peluquera"),
        ("landlord", "casero|casera|arrendador|arrendadora"),
        ("lawyer", "abogado|abogada"),
        ("accountant", "contable|contador|contadora|gestor|gestora"),
        ("therapist", "terapeuta|psicólogo|psicóloga"),
        ("vet", "veterinario|veterinaria"),
        ("coach", "entrenador|entrenadora"),
        ("wife", "esposa|mujer"),
        ("husband", "esposo|marido"),
        ("girlfriend", "novia"),
        ("boyfriend", "novio"),
    ],
    is: "es|son|está",
    at: "los|el|las|la|al|a|de|del|cada|todos|desde|por",
    before_clock: "las|la",
    hours: "h|horas",
    after_time: "de_la_tarde|de_la_mañana|de_la_noche|por_la_tarde|por_la_mañana|próximo",
    per: "al_mes|por_mes|al_año|mensuales|a_la_semana|por_persona",
    money: "",
    days: [
        "lunes", "martes", "miércoles|miercoles", "jueves", "viernes", "sábado|sábados|sabado",
        "domingo|domingos",
    ],
    months: [
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
        "septiembre|setiembre", "octubre", "noviembre", "diciembre",
    ],
    is_unspaced: false,
    has_kana: false,
    has_cases: false,
    forms: &[
        (Home, IsSo, "WHO @now? !vive|reside @now? en PLACE @now?"),
        (Home, IsSo, "@now WHO? !vive|reside WHO en PLACE"),
        (Home, IsSo, "@now WHO !vive|reside en PLACE"),
        (Home, IsSo, "@i? @now? @i? !vivo|vivimos @now? en PLACE @now?"),
        (Home, Changed, "WHO se @when? !mudó|trasladó @when? a PLACE @when?"),
        (Home, Changed, "WHO se !mudó|trasladó de PLACE a PLACE"),
        (Home, Changed, "WHO se ha @when? !mudado|trasladado a PLACE"),
        (Home, Changed, "@i? me !mudé|trasladé @when? a PLACE @when?"),
        (Home, Changed, "@i? me|nos he|hemos @when? !mudado|trasladado a PLACE"),
        (Home, Ended, "WHO ya_no !vive en PLACE"),
        (Home, Ended, "@i? ya_no !vivo|vivimos en PLACE"),
        (Home, IsSo, "WHO !vive|reside * en PLACE *"),
        (Home, IsSo, "@i? !vivo|vivimos * en PLACE *"),
        (Work, IsSo, "WHO @now? !trabaja @now? en|para PLACE @now?"),
        (Work, IsSo, "@now !trabaja WHO en|para PLACE"),
        (Work, IsSo, "@now WHO !trabaja en|para PLACE"),
        (Work, IsSo, "@i? @now? @i? !trabajo @now? en|para PLACE @now?"),
        (Work, Changed, "WHO !empezó|comenzó @when? a_trabajar en|para PLACE"),
        (Work, Changed, "@i? !empecé|comencé @when? a_trabajar en|para PLACE"),
        (Work, Changed, "WHO tiene|consiguió un nuevo !trabajo|empleo|puesto en PLACE"),
        (Work, Changed, "@i? tengo|conseguí un nuevo !trabajo|empleo|puesto en PLACE"),
        (Work, Ended, "WHO ya_no !trabaja en|para PLACE"),
        (Work, Ended, "@i? ya_no !trabajo en|para PLACE"),
        (Work, IsSo, "WHO !trabaja * en|para PLACE *"),
        (Work, IsSo, "@i? !trabajo * en|para PLACE *"),
        (Role, IsSo, "!@my @new? ROLE @new? @now? es|se_llama @now? NAME @now?"),
        (Role, IsSo, "@now ,? !@my ROLE es|se_llama NAME"),
        (Role, IsSo, "NAME @now? es @now? !@my @new? ROLE @new? @now?"),
        (Role, Ended, "NAME ya_no es !@my ROLE"),
        (Amount, IsSo, "@the? THING @now? !es|cuesta|cuestan|vale @now? de? AMOUNT @now?"),
        (Amount, IsSo, "@now ,? @the? THING !es|cuesta|cuestan|vale de? AMOUNT"),
        (Amount, IsSo, "@now !cuesta|cuestan|vale AMOUNT @the THING"),
        (Amount, Changed, "@the @new THING !es|cuesta|vale de? AMOUNT"),
        (Amount, Changed, "@the THING @new !es|cuesta|vale de? AMOUNT"),
        (Amount, Changed, "@the? THING @when? !subió|bajó|aumentó|pasó a AMOUNT @when?"),
        (Amount, Changed, "@the? THING !subió|bajó|aumentó|pasó de AMOUNT a AMOUNT"),
        (Amount, Changed, "@the? THING ha @when? !subido|bajado|aumentado|pasado a AMOUNT"),
        (Time, IsSo, "@the? THING @now? !es @now? TIME @now?"),
        (Time, IsSo, "@now ,? @the? THING !es TIME"),
        (Time, IsSo, "@the? THING @now? se? VERB @now? TIME @now?"),
        (Time, Changed, "@the? THING TIME se @when? !movió|cambió|pasó|aplazó|trasladó|pospuso|adelantó para? TIME"),
        (Time, Changed, "@the? THING se @when? !movió|cambió|pasó|aplazó|trasladó|pospuso|adelantó para? TIME"),
        (Time, Changed, "@the? THING se ha !movido|cambiado|pasado|aplazado|trasladado|pospuesto|adelantado para? TIME"),
        (Time, Changed, "@the? THING fue|ha_sido !movido|movida|aplazado|aplazada|trasladado|trasladada|pospuesto|pospuesta para? TIME"),
        (Time, IsSo, "@the? THING se? VERB * TIME *"),
    ],
};

#[rustfmt::skip]
pub(super) const ITALIAN: Table = Table {
    i: "io|noi",
    my: "mio|mia|nostro|nostra",
    the: "il|lo|la|l'|i|gli|le|nostro|nostra|mio|mia",
    now: "ora|adesso|ormai|attualmente|d'_ora_in_poi|da_ora|da_poco",
    new: "nuovo|nuova",
    when: "ieri|oggi|la_settimana_scorsa|il_mese_scorso|l'_anno_scorso|questa_settimana|questo_mese|\
           recentemente|finalmente|appena|da_poco|già|una_settimana_fa|due_settimane_fa|un_mese_fa",
    in_month: "a|in",
    tails: "e|perché|poiché|ma|da_quando",
    nobody: "io|noi|tu|lui|lei|loro|voi|chi|che|cosa|dove|questo|questa|quello|quella|ciò|suo|sua|\
             suoi|sue|tuo|tua|qualcuno|nessuno|tutti|tutte|se|quando|ieri|oggi|domani|ora|adesso|\
             allora|qui|lì|in|a|al|con|per|da|di|e|o|ma|un|una|anche|è|sono|era|ha|hanno|non|né|si|\
             mi|ci",
    no_names: "casa|città|campagna|estero|inglese|francese|tedesco|tedesca|papà|mamma|ingegnere|\
               direttore|direttrice|natale|pasqua",
    no_endings: &[],
    towns: "roma|milano|torino|napoli|firenze|bologna|genova|venezia|verona|palermo|bari|trieste|\
            italia|svizzera|germania|francia|spagna|austria|inghilterra|londra|parigi|berlino|\
            europa|america|lombardia|toscana|piemonte|sicilia|catania|messina|padova|brescia|\
            parma|modena|prato|reggio|reggio emilia|reggio calabria|perugia|livorno|ravenna|\
            cagliari|foggia|rimini|salerno|ferrara|sassari|latina|monza|siracusa|bergamo|pescara|\
            trento|forlì|vicenza|terni|bolzano|novara|piacenza|ancona|arezzo|udine|lecce|pisa|\
            lucca|siena|como|varese|pavia|cremona|mantova|taranto|brindisi|cosenza|catanzaro|\
            potenza|matera|l'aquila|aquila|aosta|asti|alessandria|cuneo|la spezia|spezia|treviso|\
            lugano|sardegna|puglia|calabria|campania|veneto|liguria|umbria|lazio|abruzzo|molise|\
            marche|basilicata|emilia|friuli|trentino|belgio|olanda|irlanda|scozia|portogallo|\
            svezia|norvegia|danimarca|polonia|grecia|cina|giappone|canada|brasile|barcellona|\
            madrid|monaco|monaco di baviera|francoforte|amburgo|vienna|zurigo|ginevra|basilea|\
            berna|bruxelles|amsterdam|dublino|lisbona|new york|tokyo|stati uniti|regno unito",
    vetoes: "non|mai|se|forse|magari|voleva|vuole|vorrebbe|voglio|vorrei|potrebbe|dovrebbe|sarebbe|\
             avrebbe|dice|diceva|afferma|sostiene|crede|credo|pensa|penso|pare|sembra|secondo|\
             apparentemente|sogno|sognato|romanzo|film|scherzo|per|solo|soltanto|solamente|anche|\
             pure|prima|temporaneamente|eccezionalmente|quando|fino|proposta|idea|opzione|quasi|\
             progetto|piano|durante|tranne|originariamente|poi|allora|presto|prossimo|prossima|domani|\
             bugia|esempio|gioco|falso|voci|prova|scrive|scriveva|scritto|racconta|raccontava|\
             raccontato|dopo|più_tardi",
    roles: &[
        ("boss", "capo|capa|superiore|responsabile"),
        ("dentist", "dentista"),
        ("doctor", "medico|dottore|dottoressa"),
        ("gp", "medico_di_base|medico_di_famiglia"),
        ("hairdresser", "parrucchiere|parrucchiera|barbiere"),
        ("landlord", "padrone_di_casa|padrona_di_casa"),
        ("lawyer", "avvocato|avvocata"),
        ("accountant", "commercialista"),
        ("therapist", "terapeuta|psicologo|psicologa"),
        ("vet", "veterinario|veterinaria"),
        ("coach", "allenatore|allenatrice"),
        ("wife", "moglie"),
        ("husband", "marito"),
    ],
    is: "è|sono|si_tiene",
    at: "il|la|lo|l'|al|alle|all'|ogni|di|del|dalle|verso",
    before_clock: "alle|dalle|ore|verso",
    hours: "ore|h",
    after_time: "sera|mattina|pomeriggio|di_sera|di_mattina|prossimo",
    per: "al_mese|all'_anno|mensili|a_settimana|a_persona",
    money: "",
    days: [
        "lunedì|lunedi", "martedì|martedi", "mercoledì|mercoledi", "giovedì|giovedi",
        "venerdì|venerdi", "sabato", "domenica",
    ],
    months: [
        "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto",
        "settembre", "ottobre", "novembre", "dicembre",
    ],
    is_unspaced: false,
    has_kana: false,
    has_cases: false,
    forms: &[
        (Home, IsSo, "WHO @now? !abita|vive|risiede @now? a|in PLACE @now?"),
        (Home, IsSo, "@now WHO !abita|vive|risiede a|in PLACE"),
        (Home, IsSo, "@i? @now? @i? !abito|vivo|abitiamo|viviamo @now? a|in PLACE @now?"),
        (Home, Changed, "WHO si è @when? !trasferito|trasferita @when? a|in PLACE @when?"),
        (Home, Changed, "WHO si è @when? !trasferito|trasferita da PLACE a|in PLACE"),
        (Home, Changed, "@i? mi sono @when? !trasferito|trasferita @when? a|in PLACE @when?"),
        (Home, Changed, "@i? ci siamo @when? !trasferiti|trasferite @when? a|in PLACE @when?"),
        (Home, Ended, "WHO non !abita|vive più a|in PLACE"),
        (Home, Ended, "@i? non !abito|vivo|abitiamo|viviamo più a|in PLACE"),
        (Home, IsSo, "WHO !abita|vive|risiede * a|in PLACE *"),
        (Home, IsSo, "@i? !abito|vivo|abitiamo|viviamo * a|in PLACE *"),
        (Work, IsSo, "WHO @now? !lavora @now? alla|al|all'|presso|per|da|in PLACE @now?"),
        (Work, IsSo, "@now WHO !lavora alla|al|all'|presso|per|da|in PLACE"),
        (Work, IsSo, "@i? @now? @i? !lavoro @now? alla|al|all'|presso|per|da|in PLACE @now?"),
        (Work, Changed, "WHO ha @when? !cominciato|iniziato a_lavorare? alla|al|all'|presso|per|da PLACE"),
        (Work, Changed, "@i? ho @when? !cominciato|iniziato a_lavorare? alla|al|all'|presso|per|da PLACE"),
        (Work, Changed, "WHO ha un nuovo !lavoro|impiego|posto alla|al|all'|presso|da PLACE"),
        (Work, Changed, "@i? ho un nuovo !lavoro|impiego|posto alla|al|all'|presso|da PLACE"),
        (Work, Ended, "WHO non !lavora più alla|al|all'|presso|per|da|in PLACE"),
        (Work, Ended, "@i? non !lavoro più alla|al|all'|presso|per|da|in PLACE"),
        (Work, IsSo, "WHO !lavora * alla|al|all'|presso|per|da PLACE *"),
        (Work, IsSo, "@i? !lavoro * alla|al|all'|presso|per|da PLACE *"),
        (Role, IsSo, "il|la|l'? !@my @new? ROLE @now? è|si_chiama @now? NAME @now?"),
        (Role, IsSo, "@now il|la|l'? !@my ROLE è|si_chiama NAME"),
        (Role, IsSo, "NAME @now? è @now? il|la|l'? !@my @new? ROLE @now?"),
        (Role, Ended, "NAME non è più il|la|l'? !@my ROLE"),
        (Amount, IsSo, "@the? @the? THING @now? !è|costa|costano @now? di? AMOUNT @now?"),
        (Amount, IsSo, "@now @the? @the? THING !è|costa|costano di? AMOUNT"),
        (Amount, Changed, "@the @the? @new THING !è|costa di? AMOUNT"),
        (Amount, Changed, "@the? @the? THING è @when? !salito|salita|sceso|scesa|aumentato|aumentata|passato|passata a AMOUNT"),
        (Amount, Changed, "@the? @the? THING è @when? !salito|salita|sceso|scesa|passato|passata da AMOUNT a AMOUNT"),
        (Time, IsSo, "@the? @the? THING @now? !è|si_tiene @now? TIME @now?"),
        (Time, IsSo, "@now @the? @the? THING !è|si_tiene TIME"),
        (Time, IsSo, "@the? @the? THING @now? si? VERB @now? TIME @now?"),
        (Time, Changed, "@the? THING TIME è_stato|è_stata|è @when? !spostato|spostata|rinviato|rinviata|anticipato|anticipata a? TIME"),
        (Time, Changed, "@the? @the? THING è_stato|è_stata|è @when? !spostato|spostata|rinviato|rinviata|anticipato|anticipata a? TIME"),
        (Time, IsSo, "@the? @the? THING si? VERB * TIME *"),
    ],
};
