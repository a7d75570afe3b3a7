use super::*;

fn replaces(earlier: &str, later: &str) -> bool {
    replaces_by((earlier, Speaker::Owner), (later, Speaker::Owner))
}

/// The pairs of which the second does not replace the first, though it should.
pub(super) fn unreplaced<'t>(pairs: &[(&'t str, &'t str)]) -> Vec<(&'t str, &'t str)> {
    pairs.iter().filter(|(earlier, later)| !replaces(earlier, later)).copied().collect()
}

/// The pairs of which the second replaces the first, though it should not.
pub(super) fn replaced<'t>(pairs: &[(&'t str, &'t str)]) -> Vec<(&'t str, &'t str)> {
    pairs.iter().filter(|(earlier, later)| replaces(earlier, later)).copied().collect()
}

pub(super) fn replaces_by(earlier: (&str, Speaker<'_>), later: (&str, Speaker<'_>)) -> bool {
    let earlier = attributes(earlier.0, earlier.1);
    let later = attributes(later.0, later.1);
    later.iter().any(|later| earlier.iter().any(|earlier| later.replaces(earlier)))
}

#[test]
fn a_statement_that_something_changed_replaces_an_earlier_one() {
    for (earlier, later) in [
        ("I live in Gothenburg", "I moved: Oslo"),
        ("I like sushi.", "I no longer like sushi."),
        ("I eat meat", "I don't eat meat any more"),
        ("Emil takes piano lessons.", "Emil stopped taking piano lessons."),
        ("I live in a small flat in Leith.", "We moved to Portobello last week."),
        ("I live with my parents in Leith.", "I moved to Portobello."),
        ("Tom lives in Leeds.", "Tom moved from Leeds to York."),
        ("I live in Gothenburg.", "Big news! I moved to Oslo last week."),
        ("I live in Gothenburg with two cats", "We have moved to Lisbon now"),
        ("lives in Porto", "lives in Lisbon now"),
        ("I'm based in New York", "I've just relocated to San Francisco"),
        ("I moved to Oslo", "I have moved back to Gothenburg"),
        ("I moved: Oslo", "Update: nothing. I'm now living in Bergen"),
        ("My phone number is 1", "my new number is 2"),
        ("My email is ana@example.org", "My email changed to lima@example.org"),
        ("My email is ana@example.org", "My new email is lima@example.org"),
        ("My sister is ill", "My sister is now well"),
        ("My address is Storgata 1", "hey, my new address: Karl Johans gate 41"),
        ("My favourite colour is blue", "My favourite colour is now green"),
        ("My boss is Anna", "my boss is now Ben"),
        ("I work at Acme", "I started at Initech"),
        ("I work for Acme in Oslo", "I have started a new job at Initech"),
        ("I am working at Acme", "I now work for Initech"),
        ("Ana lives in Porto", "Ana has moved to Lisbon"),
        ("My sister lives in Porto", "my sister moved to Lisbon"),
        ("Ana's number is 12", "Ana's new number is 13"),
        ("The user lives in Porto", "I moved to Lisbon"),
        ("I live at 14 Ash Grove, Leeds.", "I moved to Bristol."),
        ("We live in Leeds at 14 Ash Grove.", "We moved to Bristol today."),
        ("My phone number is 111", "New phone number because of the new contract: 461"),
        ("My boss is Imogen Vale.", "My new boss is Farhan Siddiqui."),
        ("I am a vegetarian.", "I am no longer a vegetarian, I suppose: fish is back."),
        ("I'm vegetarian and happy", "I'm not a vegetarian anymore"),
        ("I have been a vegetarian for nine years.", "I am no longer vegetarian."),
        ("I am no longer a vegetarian", "I am a vegetarian again"),
        ("I live in Leeds", "We don't live in Leeds anymore."),
        ("I work at Acme", "I no longer work at Acme"),
        ("My dentist is Dr Weber.", "We changed dentists, the old one retired."),
        ("I work at Acme", "I have changed jobs"),
        ("I weigh 71 kg.", "I weigh 68 kg now."),
        ("I weigh 71 kg at the moment", "I weigh 68 kg"),
        ("My weight is 71 kg", "I weigh about 68 kg"),
        ("My dog weighs 10 kg", "My dog weighs 12 kg"),
        ("I use Neovim for everything", "I switched to Helix"),
        ("My editor is Neovim.", "I have switched from Neovim to Helix."),
        ("We use npm", "We switched to pnpm because it is fast"),
        ("My sister Marta lives in Porto", "My sister Marta moved to Lisbon"),
        ("My dentist is Keller", "My dentist is no longer Keller"),
        ("Marta's birthday is on 14 May", "Actually, Marta's birthday is on 15 May, not 14 May"),
        ("I work at Acme", "I left Acme and joined Initech"),
        ("I work at Acme", "I left Acme last week"),
        ("I work at Acme", "I retired last week"),
        ("I live in Leeds", "We've just moved into a flat in Nice"),
        ("I live in Leeds", "I moved to Nice for work"),
        ("I live in Leeds", "I moved to Oslo, not far from the harbour"),
        ("I live in Leeds", "I moved to Oslo, not Bergen"),
        ("I live in Leeds", "I moved to Oslo, no kidding"),
        ("My sister Marta lives in Porto", "Marta moved to Lisbon"),
        ("Tomas's phone number is 111", "Tomas has a new phone number: 222"),
        ("Tomas's phone number is 111", "Tomas changed his phone number, it is now 333"),
        ("My phone number is 111", "I changed my phone number, it's 444 now."),
        (
            "Mum lives at Hafenstrasse 3 in Flensburg.",
            "Mum's new address: Birkenweg 17, 24105 Kiel.",
        ),
        ("My hairdresser is Carla.", "My new hairdresser is Paula."),
        ("My boss is called Henrik.", "My new boss is called Ingrid Vos."),
        ("My boss is Henrik.", "I have a new boss called Ingrid."),
        ("I work at Nordlys.", "I quit my job at Nordlys."),
        ("I work at Nordlys.", "I lost my job."),
        ("I work at Nordlys.", "I resigned from Nordlys today."),
        ("Tomas is allergic to peanuts.", "Tomas is not allergic to peanuts any more."),
        ("Tomas is allergic to peanuts.", "Tomas isn't allergic to peanuts anymore."),
        ("My grandma Elsa lives in Ulm.", "My grandma Elsa died in March."),
        ("Emil is six years old.", "Emil turned eight."),
        ("Emil is 6 years old.", "Emil is now 8 years old."),
        ("I live in Leeds.", "Actually, I live in Bradford."),
        ("Our dog is called Biscuit.", "Our dog is now called Pepper."),
    ] {
        assert!(replaces(earlier, later), "{earlier} … {later}");
        let is_change = attributes(earlier, Speaker::Owner).iter().any(|said| said.is_change);
        assert!(!replaces(later, earlier) || is_change, "{later} … {earlier}");
    }
}

#[test]
fn what_is_about_something_else_or_says_no_change_replaces_nothing() {
    for (earlier, later) in [
        ("I live in Gothenburg", "I moved the meeting to Oslo"),
        ("Our dog is called Biscuit", "Our cat is called Pepper"),
        ("Our dog is called Biscuit", "We have a new dog called Pepper"),
        ("I work at Nordlys", "I lost my keys at Nordlys"),
        ("Emil is six years old", "Emil turned six"),
        ("Emil is six years old", "Emil turned the page"),
        ("I live in Leeds", "My dog died"),
        ("Mum lives in Kiel", "Mum's new email address: mum@example.org"),
        ("Tomas is allergic to peanuts", "Tomas isn't allergic to milk anymore"),
        ("Tomas is allergic to peanuts", "Tomas isn't here"),
        ("I live in Gothenburg", "I moved: the sofa is blue"),
        ("I live in Gothenburg", "I moved to the next chapter"),
        ("I live in Gothenburg", "We moved to Monday"),
        ("I live in Gothenburg", "I was moved to tears"),
        ("I live in Gothenburg", "If I moved to Oslo, I would miss you"),
        ("I live in Gothenburg", "Have I moved to Oslo?"),
        ("I live in Gothenburg", "Ben said: I moved to Oslo"),
        ("I live in Gothenburg", "Ben: I moved to Oslo"),
        ("I live in Gothenburg", "She said \"I moved to Oslo\""),
        ("I live in Gothenburg", "He moved to Oslo"),
        ("I live in Gothenburg", "Ben moved to Oslo"),
        ("I live in Gothenburg", "I moved to Gothenburg"),
        ("I live in Gothenburg", "I live in Sweden"),
        ("I live in Gothenburg", "The team moved to Oslo"),
        ("I live in Gothenburg", "My sister moved to Oslo"),
        ("I work at Acme", "I work at Initech"),
        ("I work at Acme", "I started at seven"),
        ("I work at Acme", "I started running in Oslo"),
        ("My cat is Tom", "My cat is Mia"),
        ("My cat is Tom", "My new cat is Mia"),
        ("My cat is Tom", "My other cat is now Mia"),
        ("My phone number is 1", "Ana's new number is 2"),
        ("Ana's number is 1", "Ben's new number is 2"),
        ("My phone number is 1", "my new number is easy to remember"),
        ("My account number is 7", "My new phone number is 8"),
        ("My phone number is 1", "My old number is 2"),
        ("My phone number is 1", "New number for Ana is 2"),
        ("My phone number is 1", "New parts: 2"),
        ("My friend is Tom", "My new friend is Mia"),
        ("I live in Leeds", "I live at 14"),
        ("I am a vegetarian", "I am no longer a smoker"),
        ("I am a vegetarian", "I am a pharmacist now"),
        ("I am a vegetarian", "Ana is no longer a vegetarian"),
        ("I am tired", "I am not sure anymore"),
        ("I live in Leeds", "I no longer live in Porto"),
        ("My dentist is Dr Weber.", "We changed trains"),
        ("My dentist is Dr Weber.", "We changed dentists' opinions"),
        ("I weigh 71 kg", "I weigh too much now"),
        ("I weigh 71 kg", "My sister weighs 60 kg now"),
        ("I use Neovim", "I use Helix"),
        ("I use Firefox", "I switched to Helix"),
        ("I use Neovim", "I switched to tea"),
        ("I live in Leeds", "I moved to Linux"),
        ("I live in Leeds", "I moved to Paris in 2010"),
        ("I live in Leeds", "Before that, I moved to Paris"),
        ("I live in Leeds", "I moved to Paris for the summer"),
        ("I live in Leeds", "I moved to Nice, just kidding"),
        ("I live in Leeds", "I moved to Python"),
        ("I live in Leeds", "I moved to Team Falcon"),
        ("Tom lives in Porto", "Tom moved to Lisbon when he was five"),
        ("I work at Acme", "I started with Ozempic"),
        ("I work at Acme", "I started at Gold's Gym"),
        ("I work at Acme", "We started at Gare du Nord"),
        ("I work at Acme", "I left Oslo"),
        ("I work at Acme", "I left Anna at the station and joined Ben for lunch"),
        ("I work at Acme", "We left Facebook and joined Mastodon"),
        ("I work at Acme", "I left Acme in 2010 and joined Initech"),
        ("I work at Acme", "I retired from the choir"),
        ("I live in Leeds", "I moved into consulting in London"),
        ("My friend Tom lives in Porto", "My friend Ben moved to Lisbon"),
        ("My wallet address is bc1q99", "My new address is 4 Rue Verte"),
        ("My email address is ana@example.org", "My new address is 4 Rue Verte, Lyon"),
        ("My passport number is 12345", "My new number is 0655667788"),
        ("Marta's birthday is on 13 May", "Marta's birthday is on 15 May, not 14 May"),
        ("Marta's birthday is on 14 May", "Marta's birthday is on 15 May"),
    ] {
        assert!(!replaces(earlier, later), "{earlier} … {later}");
    }
}

#[test]
fn what_is_supposed_changes_nothing() {
    let earlier = "The launch is on June 1";
    assert!(replaces(earlier, "The launch is moved to July 1"));
    assert!(replaces(earlier, "When the audit failed, the launch was moved to July 1"));
    assert!(replaces(earlier, "The launch is moved to July 1, if you wonder"));
    assert!(replaces(earlier, "April: the launch was moved to July 1"));
    assert!(replaces(earlier, "Ana provided the papers and the launch was moved to July 1"));
    for later in [
        "If the audit fails, the launch is moved to July 1",
        "The launch is moved to July 1 if the audit fails",
        "In case of rain, the launch is moved to July 1",
        "Unless legal signs, the launch is moved to July 1",
        "Should the audit fail, the launch is moved to July 1",
        "When the audit fails, the launch is moved to July 1",
        "Provided that the audit fails, the launch is moved to July 1",
        "April fools: the launch is moved to July 1",
        "April fool: the launch is moved to July 1",
        "Rumour has it the launch is moved to July 1",
        "Petra thinks the launch was moved to July 1 but she is wrong",
        "Petra claims the launch was moved to July 1",
        "Imagine the launch is moved to July 1",
        "Nobody said the launch is moved to July 1",
        "Proposal: the launch is moved to July 1",
        "Option B: the launch is moved to July 1",
        "In the draft plan the launch is moved to July 1",
        "In 2023 the launch was postponed to July 1",
        "The launch was moved to July 1, then back to June 1",
    ] {
        assert!(!replaces(earlier, later), "{later}");
    }
    for later in [
        "I moved to Linz in my novel",
        "I moved to Linz last night in a dream",
        "I moved to Linz once and hated it",
    ] {
        assert!(!replaces("I live in Graz", later), "{later}");
    }
}

#[test]
fn what_is_used_and_who_has_a_role_may_end() {
    for (earlier, later) in [
        ("We use Jira", "We no longer use Jira"),
        ("We use Jira for tickets", "We stopped using Jira"),
        ("We use Jira", "We don't use Jira anymore"),
        ("We use Jira", "We switched from Jira to Linear"),
        ("We use MySQL", "We migrated from MySQL to Postgres"),
        ("We use npm", "We no longer use npm"),
        ("The CEO is Paul", "Paul is no longer the CEO"),
        ("The CEO is Paul", "Ulla is the new CEO"),
        ("The CEO is Paul", "Ulla is now the CEO"),
        ("My boss is Paul", "Paul is not my boss anymore, Ulla took over"),
        ("My boss is Paul", "Ulla Berg is my new boss"),
        ("The project lead is Paula", "Emil is the new project lead"),
        ("My insurance is Allianz", "I switched my insurance to HUK"),
        ("Sofia's number is 555-0111", "Sofia has a new number, 555-0199"),
        ("Emma is allergic to nuts", "It turns out Emma is not allergic to nuts"),
        ("Kim's birthday is on 12 April", "I was wrong, Kim's birthday is on 13 April"),
    ] {
        assert!(replaces(earlier, later), "{earlier} … {later}");
    }
    for (earlier, later) in [
        ("We use Jira", "We no longer use Linear"),
        ("We use Jira", "We use Linear"),
        ("The CEO is Paul", "Ulla is the new CTO"),
        ("The CEO is Paul", "Ulla is the CEO's sister"),
        ("The problem is Paul", "Ulla is the new problem"),
        ("Emma is allergic to nuts", "Emma is not allergic to nuts"),
        ("I like tea", "I am not sure about tea"),
    ] {
        assert!(!replaces(earlier, later), "{earlier} … {later}");
    }
}

#[test]
fn the_speaker_says_whose_it_is() {
    let (ana, ben) = (Speaker::Person("Ana"), Speaker::Person("Ben"));
    assert!(replaces_by(("I live in Porto", ana), ("I moved to Lisbon", ana)));
    assert!(replaces_by(("I live in Porto", ana), ("Ana moved to Lisbon", Speaker::Owner)));
    assert!(!replaces_by(("I live in Porto", ana), ("I moved to Lisbon", ben)));
    assert!(!replaces_by(("I live in Porto", Speaker::Owner), ("I moved to Lisbon", ben)));
    assert!(!replaces_by(
        ("I live in Porto", Speaker::Owner),
        ("The owner moved to Paris and is selling the building", ana)
    ));
    let program = Speaker::Program;
    assert!(!replaces_by(("I live in Porto", Speaker::Owner), ("I moved to Lisbon", program)));
    assert!(replaces_by(("lives in Porto", program), ("lives in Lisbon now", program)));
    assert!(replaces_by(("I live in Porto", Speaker::Person("me")), ("moved to Lisbon", program)));
}
