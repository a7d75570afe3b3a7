//! The words that are known.
//!
//! Lists are not complete and need not be: what is not known is found less surely, or not at all.

/// Most words of the name of a technology.
pub(super) const TECHNOLOGY_WORDS_MAX: usize = 3;

/// Technologies: in lower case, as they are spelled, and whether the word is an ordinary one, too.
/// Sorted.
#[rustfmt::skip]
pub(super) const TECHNOLOGIES: [(&str, &str, bool); 395] = [
    (".net", ".NET", false), ("actix", "Actix", false), ("aes", "AES", true), ("airflow", "Airflow", false),
    ("aix", "AIX", false), ("alpine", "Alpine", true), ("alpine linux", "Alpine Linux", false),
    ("amazon s3", "Amazon S3", false), ("amd64", "AMD64", false), ("android", "Android", false),
    ("angular", "Angular", true), ("ansible", "Ansible", false), ("apache http server", "Apache HTTP Server", false),
    ("appveyor", "AppVeyor", false), ("arduino", "Arduino", false), ("arm64", "ARM64", false),
    ("armv7", "ARMv7", false), ("ascii", "ASCII", false), ("asp.net", "ASP.NET", false),
    ("assembly", "Assembly", true), ("asyncwrap", "AsyncWrap", false), ("avx2", "AVX2", false), ("awk", "awk", true),
    ("aws", "AWS", false), ("aws lambda", "AWS Lambda", false), ("axum", "Axum", false), ("azure", "Azure", true),
    ("babel", "Babel", true), ("base64", "Base64", false), ("bash", "Bash", false), ("bazel", "Bazel", false),
    ("bert", "BERT", true), ("bigquery", "BigQuery", false), ("bitbucket", "Bitbucket", false),
    ("blake3", "BLAKE3", false), ("blender", "Blender", true), ("blink", "Blink", true),
    ("bluetooth", "Bluetooth", false), ("boringssl", "BoringSSL", false), ("brotli", "Brotli", false),
    ("bun", "Bun", true), ("bzip2", "bzip2", false), ("c#", "C#", false), ("c++", "C++", false),
    ("cargo", "Cargo", true), ("cassandra", "Cassandra", true), ("celery", "Celery", true),
    ("centos", "CentOS", false), ("chakra", "Chakra", true), ("chakracore", "ChakraCore", false),
    ("chatgpt", "ChatGPT", false), ("chef", "Chef", true), ("chocolatey", "Chocolatey", false),
    ("chrome", "Chrome", true), ("chromium", "Chromium", false), ("ci", "CI", true), ("circleci", "CircleCI", false),
    ("clang", "Clang", false), ("clickhouse", "ClickHouse", false), ("clippy", "Clippy", true),
    ("clojure", "Clojure", false), ("cloudflare", "Cloudflare", false), ("cmake", "CMake", false),
    ("cobol", "COBOL", false), ("codecov", "Codecov", false), ("coffeescript", "CoffeeScript", false),
    ("coldfusion", "ColdFusion", false), ("commonjs", "CommonJS", false), ("composer", "Composer", true),
    ("conda", "conda", true), ("confluence", "Confluence", false), ("consul", "Consul", true),
    ("couchdb", "CouchDB", false), ("coveralls", "Coveralls", false), ("coverity", "Coverity", false),
    ("crates.io", "crates.io", false), ("css", "CSS", true), ("csv", "CSV", false), ("cuda", "CUDA", false),
    ("cygwin", "Cygwin", false), ("cypress", "Cypress", true), ("dart", "Dart", true), ("datadog", "Datadog", false),
    ("debian", "Debian", false), ("deno", "Deno", false), ("dhcp", "DHCP", false),
    ("digitalocean", "DigitalOcean", false), ("django", "Django", false), ("dns", "DNS", false),
    ("docker", "Docker", false), ("doxygen", "Doxygen", false), ("dtrace", "DTrace", false),
    ("duckdb", "DuckDB", false), ("dynamodb", "DynamoDB", false), ("ecdsa", "ECDSA", false),
    ("eclipse ide", "Eclipse IDE", false), ("ecmascript", "ECMAScript", false), ("ed25519", "Ed25519", false),
    ("elasticsearch", "Elasticsearch", false), ("electron", "Electron", true), ("elixir", "Elixir", false),
    ("emacs", "Emacs", false), ("envoy", "Envoy", true), ("erlang", "Erlang", false), ("es2015", "ES2015", false),
    ("es2017", "ES2017", false), ("es6", "ES6", false), ("eslint", "ESLint", false), ("etcd", "etcd", false),
    ("express", "Express", true), ("express.js", "Express.js", false), ("f#", "F#", false),
    ("fastapi", "FastAPI", false), ("fd-find", "fd-find", false), ("fedora", "Fedora", true),
    ("figma", "Figma", true), ("fips", "FIPS", false), ("firebase", "Firebase", false), ("firefox", "Firefox", false),
    ("flask", "Flask", true), ("fortran", "Fortran", false), ("freebsd", "FreeBSD", false), ("ftp", "FTP", false),
    ("fzf", "fzf", false), ("gcc", "GCC", false), ("gcp", "GCP", false), ("gdb", "GDB", false),
    ("gentoo", "Gentoo", false), ("gerrit", "Gerrit", false), ("git", "Git", true), ("github", "GitHub", false),
    ("github actions", "GitHub Actions", false), ("gitlab", "GitLab", false), ("gitlab ci", "GitLab CI", false),
    ("glibc", "glibc", false), ("gnu make", "GNU Make", false), ("go", "Go", true), ("golang", "Go", false),
    ("google cloud", "Google Cloud", false), ("google docs", "Google Docs", false),
    ("google hangouts", "Google Hangouts", false), ("google sheets", "Google Sheets", false),
    ("gpt-3", "GPT-3", false), ("gpt-4", "GPT-4", false), ("gradle", "Gradle", false), ("grafana", "Grafana", false),
    ("graphql", "GraphQL", false), ("grep", "grep", true), ("grpc", "gRPC", false), ("gunicorn", "Gunicorn", false),
    ("gzip", "gzip", false), ("hadoop", "Hadoop", false), ("haproxy", "HAProxy", false),
    ("haskell", "Haskell", false), ("hdmi", "HDMI", false), ("helm", "Helm", true), ("heroku", "Heroku", false),
    ("hibernate", "Hibernate", false), ("homebrew", "Homebrew", false), ("html", "HTML", false),
    ("http", "HTTP", false), ("http/2", "HTTP/2", false), ("http/3", "HTTP/3", false), ("https", "HTTPS", false),
    ("hyper", "Hyper", true), ("icu", "ICU", true), ("illumos", "illumos", false), ("imap", "IMAP", false),
    ("influxdb", "InfluxDB", false), ("inspector api", "Inspector API", false), ("intellij", "IntelliJ", false),
    ("intellij idea", "IntelliJ IDEA", false), ("internet explorer", "Internet Explorer", false),
    ("io.js", "io.js", false), ("ios", "iOS", false), ("ipv4", "IPv4", false), ("ipv6", "IPv6", false),
    ("istio", "Istio", false), ("jasmine", "Jasmine", true), ("java", "Java", true),
    ("javascript", "JavaScript", false), ("javascriptcore", "JavaScriptCore", false), ("jenkins", "Jenkins", false),
    ("jest", "Jest", true), ("jira", "Jira", false), ("jq", "jq", true), ("jquery", "jQuery", false),
    ("json", "JSON", false), ("jujutsu", "Jujutsu", false), ("julia", "Julia", true), ("junit", "JUnit", false),
    ("jupyter", "Jupyter", true), ("jwt", "JWT", false), ("kafka", "Kafka", true), ("keras", "Keras", true),
    ("kerberos", "Kerberos", false), ("kibana", "Kibana", false), ("kotlin", "Kotlin", false),
    ("kubernetes", "Kubernetes", false), ("laravel", "Laravel", false), ("latex", "LaTeX", false),
    ("ldap", "LDAP", false), ("libressl", "LibreSSL", false), ("libuv", "libuv", false), ("linux", "Linux", false),
    ("lldb", "LLDB", false), ("llvm", "LLVM", false), ("logstash", "Logstash", false), ("lua", "Lua", true),
    ("lucene", "Lucene", false), ("lz4", "LZ4", false), ("macos", "macOS", false), ("make", "Make", true),
    ("mariadb", "MariaDB", false), ("markdown", "Markdown", false), ("maven", "Maven", true), ("md5", "MD5", false),
    ("mercurial", "Mercurial", false), ("mingw", "MinGW", false), ("mocha", "Mocha", true),
    ("mongodb", "MongoDB", false), ("msvc", "MSVC", false), ("msys2", "MSYS2", false), ("musl", "musl", false),
    ("mysql", "MySQL", false), ("n-api", "N-API", false), ("nats", "NATS", true), ("neovim", "Neovim", false),
    ("netbsd", "NetBSD", false), ("netlify", "Netlify", false), ("next.js", "Next.js", false),
    ("nghttp2", "nghttp2", false), ("nginx", "Nginx", false), ("nixos", "NixOS", false),
    ("node js", "Node.js", false), ("node.js", "Node.js", false), ("nodejs", "Node.js", false),
    ("notion api", "Notion API", false), ("npm", "npm", false), ("nuget", "NuGet", false), ("numpy", "NumPy", false),
    ("nuxt", "Nuxt", false), ("oauth", "OAuth", false), ("objective-c", "Objective-C", false),
    ("ocaml", "OCaml", false), ("onnx", "ONNX", false), ("openai api", "OpenAI API", false),
    ("openapi", "OpenAPI", false), ("openbsd", "OpenBSD", false), ("opencv", "OpenCV", false),
    ("openid", "OpenID", false), ("opensearch", "OpenSearch", false), ("openssl", "OpenSSL", false),
    ("opensuse", "openSUSE", false), ("pandas", "Pandas", true), ("parquet", "Parquet", false),
    ("pcre", "PCRE", false), ("pcre2", "PCRE2", false), ("perl", "Perl", true), ("photoshop", "Photoshop", false),
    ("php", "PHP", false), ("pip", "pip", true), ("playwright", "Playwright", false), ("pnpm", "pnpm", false),
    ("podman", "Podman", false), ("poetry", "Poetry", true), ("postgres", "PostgreSQL", false),
    ("postgresql", "PostgreSQL", false), ("powerpc", "PowerPC", false), ("powershell", "PowerShell", false),
    ("prettier", "Prettier", true), ("prometheus", "Prometheus", true), ("protobuf", "Protobuf", false),
    ("puppet", "Puppet", true), ("pypi", "PyPI", false), ("pytest", "pytest", false), ("python", "Python", true),
    ("pytorch", "PyTorch", false), ("quic", "QUIC", false), ("rabbitmq", "RabbitMQ", false), ("rails", "Rails", true),
    ("raspberry pi", "Raspberry Pi", false), ("rayon", "Rayon", true), ("react", "React", true),
    ("react native", "React Native", false), ("redis", "Redis", false), ("rest api", "REST API", true),
    ("ripgrep", "ripgrep", false), ("risc-v", "RISC-V", false), ("rollup", "Rollup", true), ("rsa", "RSA", true),
    ("ruby", "Ruby", true), ("ruby on rails", "Ruby on Rails", false), ("rubygems", "RubyGems", false),
    ("rust", "Rust", true), ("rustc", "rustc", false), ("rustfmt", "rustfmt", false), ("rustup", "rustup", false),
    ("safari", "Safari", true), ("saml", "SAML", false), ("sass", "Sass", false), ("scala", "Scala", true),
    ("scikit-learn", "scikit-learn", false), ("sed", "sed", true), ("selenium", "Selenium", true),
    ("sentry", "Sentry", true), ("serde", "Serde", false), ("setuptools", "setuptools", false),
    ("sftp", "SFTP", false), ("sha-1", "SHA-1", false), ("sha-256", "SHA-256", false), ("simd", "SIMD", false),
    ("slack", "Slack", true), ("smartos", "SmartOS", false), ("smtp", "SMTP", false),
    ("snowflake", "Snowflake", true), ("solaris", "Solaris", true), ("solidity", "Solidity", false),
    ("solr", "Solr", false), ("spark", "Spark", true), ("spidermonkey", "SpiderMonkey", false),
    ("spring", "Spring", true), ("spring boot", "Spring Boot", false), ("sql", "SQL", false),
    ("sqlite", "SQLite", false), ("sse2", "SSE2", false), ("ssh", "SSH", false), ("ssl", "SSL", true),
    ("sublime text", "Sublime Text", false), ("subversion", "Subversion", false), ("supabase", "Supabase", false),
    ("suse", "SUSE", false), ("svelte", "Svelte", false), ("swagger", "Swagger", false), ("swift", "Swift", true),
    ("symfony", "Symfony", false), ("systemd", "systemd", false), ("systemverilog", "SystemVerilog", false),
    ("tantivy", "Tantivy", false), ("tcp", "TCP", false), ("tensorflow", "TensorFlow", false),
    ("terraform", "Terraform", false), ("tls", "TLS", true), ("tmux", "tmux", false), ("tokio", "Tokio", false),
    ("toml", "TOML", false), ("traefik", "Traefik", false), ("travis ci", "Travis CI", false),
    ("trello", "Trello", false), ("typescript", "TypeScript", false), ("ubuntu", "Ubuntu", false),
    ("udp", "UDP", false), ("unicode", "Unicode", false), ("unity engine", "Unity Engine", false),
    ("unix", "Unix", false), ("unreal engine", "Unreal Engine", false), ("usb", "USB", false),
    ("utf-16", "UTF-16", false), ("utf-8", "UTF-8", false), ("uwsgi", "uWSGI", false), ("v8", "V8", false),
    ("vagrant", "Vagrant", true), ("valgrind", "Valgrind", false), ("vault server", "Vault Server", false),
    ("vercel", "Vercel", false), ("verilog", "Verilog", false), ("vhdl", "VHDL", false), ("vim", "Vim", false),
    ("virtualenv", "virtualenv", false), ("visual studio", "Visual Studio", false),
    ("visual studio code", "Visual Studio Code", false), ("vite", "Vite", true), ("vs code", "VS Code", false),
    ("vue", "Vue", true), ("vue.js", "Vue.js", false), ("webassembly", "WebAssembly", false),
    ("webkit", "WebKit", false), ("webpack", "Webpack", false), ("websocket", "WebSocket", false),
    ("websockets", "WebSockets", false), ("wifi", "WiFi", false), ("windows", "Windows", true), ("wsl", "WSL", false),
    ("x86-64", "x86-64", false), ("xcode", "Xcode", false), ("xml", "XML", false), ("xz", "xz", true),
    ("yaml", "YAML", false), ("yarn", "Yarn", true), ("zeromq", "ZeroMQ", false), ("zlib", "zlib", false),
    ("zookeeper", "ZooKeeper", false), ("zoom api", "Zoom API", false), ("zsh", "Zsh", false),
    ("zstd", "zstd", false),
];

/// Given names. Sorted.
#[rustfmt::skip]
pub(super) const GIVEN_NAMES: [&str; 755] = [
    "Aaron", "Abdul", "Abigail", "Ada", "Adam", "Adrian", "Agnes", "Ahmed", "Aidan", "Aisha", "Alan", "Albert",
    "Alberto", "Alejandro", "Alessandro", "Alex", "Alexander", "Alexandra", "Alexei", "Alexey", "Alexis", "Alfred",
    "Ali", "Alice", "Alina", "Alison", "Allison", "Amanda", "Amara", "Amber", "Amelia", "Amina", "Amir", "Amit",
    "Amy", "Ana", "Anand", "Andras", "Andre", "Andrea", "Andreas", "Andrei", "Andrew", "Andy", "Angela", "Angelo",
    "Anita", "Anja", "Anjali", "Anke", "Ann", "Anna", "Anne", "Annette", "Anthony", "Antoine", "Anton", "Antonio",
    "April", "Aram", "Ari", "Arjun", "Arnaud", "Art", "Arthur", "Artur", "Asha", "Ashley", "Astrid", "Audrey",
    "Austin", "Autumn", "Avi", "Ayesha", "Ayse", "Barbara", "Bastian", "Beatrice", "Ben", "Benedict", "Benjamin",
    "Bernard", "Bernd", "Bert", "Beth", "Betty", "Bill", "Bjorn", "Bob", "Bogdan", "Boris", "Bradley", "Brandon",
    "Brenda", "Brendan", "Brett", "Brian", "Bridget", "Bruce", "Bruno", "Bryan", "Bryce", "Buck", "Bud", "Caleb",
    "Cameron", "Camille", "Carla", "Carlos", "Carmen", "Carol", "Carolina", "Caroline", "Carolyn", "Cassie",
    "Catherine", "Cecilia", "Cedric", "Charles", "Charlie", "Charlotte", "Chase", "Chelsea", "Cheng", "Chinedu",
    "Chip", "Chloe", "Chris", "Christian", "Christina", "Christine", "Christoph", "Christopher", "Claire", "Clara",
    "Claudia", "Clay", "Clemens", "Cliff", "Clive", "Colin", "Colleen", "Connor", "Corey", "Craig", "Cristina",
    "Crystal", "Curtis", "Cynthia", "Daisy", "Dale", "Dan", "Dana", "Daniel", "Daniela", "Danielle", "Danny",
    "Darren", "Dave", "David", "Dawn", "Dean", "Debbie", "Deborah", "Deepak", "Denis", "Deniz", "Dennis", "Derek",
    "Diana", "Diane", "Diego", "Dieter", "Dimitri", "Dirk", "Dmitry", "Dominic", "Donald", "Donna", "Doris",
    "Dorothy", "Dot", "Doug", "Douglas", "Dragan", "Drew", "Duke", "Duncan", "Dylan", "Earl", "Edward", "Edwin",
    "Eileen", "Elaine", "Elena", "Eli", "Elias", "Elif", "Elizabeth", "Ella", "Ellen", "Elsa", "Emil", "Emily",
    "Emma", "Emre", "Eric", "Erica", "Erich", "Erik", "Erika", "Ernest", "Ernesto", "Esther", "Ethan", "Eugene",
    "Eva", "Evan", "Eve", "Evelyn", "Ewa", "Fabian", "Faith", "Farah", "Fatima", "Fedor", "Felipe", "Felix",
    "Fernando", "Fiona", "Florence", "Florian", "Ford", "Frances", "Francesca", "Francesco", "Francis", "Francisco",
    "Frank", "Franz", "Fred", "Frederic", "Frederick", "Gabriel", "Gabriela", "Gareth", "Gary", "Gavin", "Gene",
    "Geoff", "Geoffrey", "George", "Georgia", "Gerald", "Gerard", "Gianluca", "Gilbert", "Gina", "Giovanni",
    "Gireesh", "Giulia", "Glen", "Glenn", "Gloria", "Goran", "Gordon", "Grace", "Graham", "Grant", "Greg", "Gregory",
    "Greta", "Guillaume", "Guillermo", "Gunther", "Gus", "Guy", "Hannah", "Hans", "Harald", "Harold", "Harriet",
    "Harry", "Haruki", "Hassan", "Heath", "Heather", "Hector", "Heidi", "Heiko", "Heinrich", "Helen", "Helena",
    "Henrik", "Henry", "Herbert", "Hiro", "Hiroshi", "Holly", "Hope", "Howard", "Hugh", "Hugo", "Ian", "Ibrahim",
    "Ida", "Idris", "Igor", "Ilya", "Imran", "Ines", "Ingrid", "Ioana", "Irene", "Iris", "Isaac", "Isabel",
    "Isabella", "Istvan", "Ivan", "Ivy", "Jack", "Jacob", "Jacqueline", "Jake", "Jakob", "James", "Jamie", "Jan",
    "Jana", "Jane", "Janet", "Janine", "Jared", "Jason", "Javier", "Jay", "Jean", "Jeff", "Jeffrey", "Jen",
    "Jennifer", "Jenny", "Jens", "Jeremiah", "Jeremy", "Jerome", "Jerry", "Jesse", "Jessica", "Jill", "Jim", "Jimmy",
    "Joachim", "Joan", "Joanna", "Joao", "Joe", "Joel", "Johan", "Johann", "Johanna", "John", "Johnny", "Jon",
    "Jonah", "Jonas", "Jonathan", "Jordan", "Jorge", "Jose", "Josef", "Joseph", "Josh", "Joshua", "Joy", "Joyce",
    "Joyee", "Juan", "Judith", "Julian", "Julie", "Julien", "Juliet", "Jun", "June", "Justin", "Karen", "Karin",
    "Karl", "Kate", "Katharina", "Katherine", "Kathleen", "Kathryn", "Katie", "Katrina", "Kazuki", "Keith", "Kelly",
    "Ken", "Kenji", "Kenneth", "Kenta", "Kevin", "Kimberly", "Klaus", "Konrad", "Kristen", "Kristina", "Kumar",
    "Kurt", "Kwame", "Kyle", "Lane", "Lara", "Larry", "Lars", "Laura", "Lauren", "Laurent", "Laurie", "Lea", "Leah",
    "Leila", "Leo", "Leon", "Leonard", "Leonardo", "Leslie", "Lewis", "Liam", "Lillian", "Lily", "Linda", "Lindsay",
    "Linh", "Lisa", "Liz", "Lorenzo", "Louis", "Louise", "Luca", "Lucas", "Lucia", "Lucy", "Luis", "Luisa", "Lukas",
    "Luke", "Lydia", "Maarten", "Madeleine", "Magdalena", "Major", "Mara", "Marc", "Marcel", "Marco", "Marcos",
    "Marcus", "Marek", "Margaret", "Maria", "Marian", "Marianne", "Marie", "Mario", "Marion", "Marisa", "Marius",
    "Mark", "Markus", "Marta", "Martha", "Martin", "Martina", "Mary", "Masha", "Mateo", "Mathias", "Matt", "Matteo",
    "Matthew", "Matthias", "Maurice", "Mauricio", "Max", "May", "Megan", "Mehmet", "Melanie", "Melissa", "Mia",
    "Michael", "Michaela", "Michel", "Michele", "Michelle", "Miguel", "Mihai", "Mikael", "Mike", "Mikeal", "Mikhail",
    "Milan", "Miles", "Milo", "Milos", "Ming", "Minh", "Mira", "Miriam", "Mohamed", "Mohammed", "Moritz", "Myles",
    "Nadia", "Naomi", "Natalia", "Natalie", "Nathan", "Nathaniel", "Neil", "Nell", "Ngozi", "Nguyen", "Nicholas",
    "Nick", "Nicola", "Nicolas", "Nicole", "Nigel", "Niko", "Nikola", "Nils", "Nina", "Nisha", "Noah", "Noam", "Noor",
    "Nora", "Norm", "Olaf", "Oleg", "Olga", "Olive", "Oliver", "Olivia", "Omar", "Oscar", "Otto", "Pablo", "Paolo",
    "Paris", "Pat", "Patricia", "Patrick", "Paul", "Paula", "Pauline", "Pavel", "Pearl", "Pedro", "Penny", "Peter",
    "Petr", "Petra", "Phil", "Philip", "Philipp", "Phillip", "Pierre", "Piotr", "Pooja", "Priya", "Rachel", "Rafael",
    "Rahul", "Raj", "Rajesh", "Ralf", "Ralph", "Ramesh", "Ramon", "Raphael", "Ravi", "Ray", "Raymond", "Rebecca",
    "Reed", "Reinhard", "Renate", "Rhys", "Ricardo", "Rich", "Richard", "Rita", "Rob", "Robert", "Roberto", "Robin",
    "Rocky", "Rod", "Roger", "Roland", "Roman", "Ronald", "Rosa", "Rose", "Ross", "Roy", "Ruben", "Ruby", "Rudolf",
    "Rui", "Rupert", "Russell", "Rusty", "Ryan", "Sabine", "Sabrina", "Sakura", "Sally", "Salman", "Sam", "Samantha",
    "Samir", "Samuel", "Sandra", "Sandy", "Sanjay", "Sara", "Sarah", "Sasha", "Scott", "Sean", "Sebastian", "Serena",
    "Sergei", "Sergey", "Sergio", "Shane", "Shannon", "Sharon", "Shaun", "Sheila", "Shigeki", "Shira", "Shirley",
    "Silke", "Silvia", "Simon", "Simone", "Skip", "Sky", "Sofia", "Sonia", "Sophia", "Sophie", "Stanley", "Stefan",
    "Stefano", "Stephan", "Stephanie", "Stephen", "Steve", "Steven", "Stewart", "Stuart", "Summer", "Sunil", "Sunny",
    "Suresh", "Susan", "Susanne", "Suzanne", "Sven", "Svetlana", "Sydney", "Sylvia", "Takashi", "Tamara", "Tania",
    "Tanya", "Tara", "Tarek", "Tatiana", "Ted", "Terence", "Teresa", "Terry", "Thabo", "Theo", "Theodore", "Theresa",
    "Thomas", "Tiago", "Tiffany", "Tim", "Timothy", "Tobias", "Todd", "Tom", "Tomas", "Tomasz", "Tommy", "Toni",
    "Tony", "Tracy", "Trevor", "Tyler", "Ulrich", "Ursula", "Uwe", "Valentin", "Valeria", "Vanessa", "Vera",
    "Veronica", "Victor", "Victoria", "Vijay", "Viktor", "Vincent", "Violet", "Virginia", "Vivian", "Vladimir",
    "Wade", "Walter", "Wei", "Wells", "Wendy", "Werner", "Wesley", "Wilfried", "Wilhelm", "Will", "William",
    "Wolfgang", "Xavier", "Xiao", "Yael", "Yan", "Yasmin", "Yuki", "Yuri", "Yusuf", "Yvonne", "Zachary", "Zanele",
    "Zoe", "Zoltan", "Zuzana",
];

/// Given names that are ordinary words, or places, too.
#[rustfmt::skip]
pub(super) const ORDINARY_GIVEN_NAMES: [&str; 92] = [
    "Will", "Mark", "May", "April", "June", "Grace", "Hope", "Rose", "Art", "Bill", "Rob", "Pat", "Drew", "Chase",
    "Grant", "Guy", "Max", "Dot", "Frank", "Jack", "Dean", "Ray", "Gene", "Rich", "Dale", "Glen", "Lane", "Miles",
    "Summer", "Autumn", "Joy", "Faith", "Ruby", "Pearl", "Amber", "Sky", "Reed", "Wade", "Cliff", "Clay", "Heath",
    "Ford", "Norm", "Sandy", "Daisy", "Iris", "Ivy", "Lily", "Holly", "Violet", "Olive", "Penny", "Robin", "Dawn",
    "Eve", "Carol", "Victor", "Earl", "Duke", "Major", "Wells", "Jay", "Bud", "Buck", "Chip", "Skip", "Rocky",
    "Rusty", "Sunny", "Crystal", "Christian", "Austin", "Jordan", "Sydney", "Paris", "Florence", "Chelsea",
    "Virginia", "Carolina", "Georgia", "Jan", "Jun", "Ada", "Ali", "Roman", "Milan", "Victoria", "Ari", "Ming",
    "Theo", "Ken", "Gus",
];

/// Words at the end of the name of an organization.
#[rustfmt::skip]
pub(crate) const ORGANIZATION_WORDS: [&str; 34] = [
    "Foundation", "Inc", "Incorporated", "Ltd", "LLC", "GmbH", "AG", "Corp", "Corporation", "Company", "University",
    "Institute", "College", "Committee", "Council", "Association", "Society", "Agency", "Ministry", "Bank",
    "Laboratories", "Labs", "Consortium", "Federation", "Union", "Party", "Museum", "Hospital", "Academy", "Airlines",
    "Studios", "Records", "Press", "Group",
];

/// Organizations, as they are spelled.
#[rustfmt::skip]
pub(super) const ORGANIZATIONS: [&str; 55] = [
    "Google", "Microsoft", "IBM", "Intel", "Amazon", "Facebook", "Netflix", "Mozilla", "Oracle", "Samsung", "Sony",
    "Nokia", "Nvidia", "Spotify", "PayPal", "LinkedIn", "Twitter", "Uber", "Airbnb", "Dropbox", "Salesforce", "Adobe",
    "Cisco", "VMware", "Joyent", "NodeSource", "StrongLoop", "OpenAI", "Anthropic", "DeepMind", "HashiCorp",
    "JetBrains", "SoundCloud", "YouTube", "WhatsApp", "Instagram", "Reddit", "Wikipedia", "NASA", "UNESCO", "NATO",
    "Siemens", "Bosch", "BMW", "Toyota", "Volkswagen", "Huawei", "Xiaomi", "Tencent", "Alibaba", "Baidu", "TikTok",
    "GoDaddy", "Ericsson", "Qualcomm",
];

/// Months, days and feasts.
#[rustfmt::skip]
pub(super) const CALENDAR_WORDS: [&str; 42] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Jan", "Feb", "Mar",
    "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun",
    "Christmas", "Easter", "Halloween", "Thanksgiving",
];

/// Words that are written with a capital at the beginning of sentences and in headings, and name
/// nothing. Sorted.
#[rustfmt::skip]
pub(super) const COMMON_WORDS: [&str; 960] = [
    "A", "API", "APIs", "About", "Action", "Actions", "Actually", "Add", "Added", "Adding", "Additionally", "Adds",
    "Admin", "Advanced", "African", "After", "Again", "Agenda", "Agree", "Agreed", "Air", "All", "Allow", "Allows",
    "Alpha", "Also", "Although", "Always", "American", "An", "And", "Announcement", "Announcements", "Another",
    "Answer", "Answers", "Any", "Anybody", "Anyone", "Anything", "Apparently", "Appendix", "Applied", "Apply",
    "Approve", "Approved", "Arabic", "Are", "Array", "Art", "As", "Asian", "Ask", "Asked", "Asks", "At", "Attendees",
    "Attending", "Audio", "Aunt", "Australian", "Author", "Authors", "Avoid", "Background", "Bad", "Base", "Based",
    "Basic", "Basically", "Be", "Became", "Because", "Become", "Been", "Before", "Began", "Begin", "Being", "Believe",
    "Benchmark", "Benchmarking", "Besides", "Best", "Beta", "Better", "Between", "Big", "Blog", "Board", "Book",
    "Books", "Boolean", "Both", "Boy", "Branch", "Branches", "Brazilian", "Break", "Breaks", "Bring", "British",
    "Broke", "Broken", "Brought", "Buffer", "Bug", "Bugs", "Build", "Builds", "Built", "Bump", "Business", "But",
    "By", "CTC", "Calendar", "Call", "Called", "Calls", "Can", "Canadian", "Candidate", "Captain", "Catch",
    "Catholic", "Caught", "Cause", "Caused", "Causes", "Cc", "Chair", "Change", "Changed", "Changes", "Changing",
    "Chapter", "Charter", "Chat", "Check", "Checked", "Checks", "Child", "Children", "Chinese", "Christian", "City",
    "Clarify", "Class", "Clean", "Cleanup", "Client", "Close", "Closed", "Closes", "Closing", "Co-authored-by",
    "Code", "Collaboration", "Collaborator", "Collaborators", "Comment", "Comments", "Commit", "Commits", "Committee",
    "Community", "Company", "Complete", "Completed", "Concerning", "Conclusion", "Conduct", "Conference", "Consider",
    "Considering", "Continue", "Continued", "Continues", "Contributing", "Contributor", "Contributors", "Copyright",
    "Core", "Could", "Country", "Create", "Created", "Creates", "Current", "Currently", "Customer", "Customers",
    "Dad", "Dark", "Data", "Date", "Day", "Dear", "Death", "Decide", "Decided", "Decision", "Decisions", "Delete",
    "Deleted", "Deletes", "Depend", "Depends", "Deprecate", "Deprecated", "Describe", "Described", "Description",
    "Despite", "Details", "Developer", "Developers", "Diagnostics", "Did", "Director", "Directors", "Disable",
    "Disabled", "Discuss", "Discussed", "Discussing", "Discussion", "Do", "Doc", "Docs", "Doctor", "Document",
    "Documentation", "Documented", "Documents", "Does", "Double", "Dr", "Drop", "Dropped", "Drops", "Due", "During",
    "Dutch", "Each", "Earth", "East", "Eastern", "Email", "Empty", "Enable", "Enabled", "Enables", "Ending",
    "Engineer", "Engineers", "English", "Ensure", "Error", "Errors", "Especially", "European", "Evangelism", "Even",
    "Evening", "Event", "Events", "Eventually", "Every", "Everybody", "Everyone", "Everything", "Example", "Examples",
    "Except", "Excluding", "Explain", "Explained", "Expose", "Exposed", "Extend", "Extended", "External", "FIXME",
    "Fail", "Failed", "Fails", "False", "Family", "Fast", "Feature", "Features", "Feed", "Feel", "Felt", "Few",
    "Figure", "Film", "Final", "Finally", "Find", "Finish", "Finished", "Fire", "First", "Fix", "Fixed", "Fixes",
    "Fixing", "Follow", "Followed", "Following", "Food", "For", "Fortunately", "Forum", "Found", "Framework",
    "French", "Friend", "Friends", "From", "Full", "Function", "Furthermore", "Future", "Game", "Games", "Gave",
    "General", "Generally", "German", "Get", "Gets", "Getting", "Girl", "Give", "Given", "God", "Going", "Good",
    "Governance", "Government", "Grandma", "Grandpa", "Great", "Greek", "Group", "Groups", "Guide", "Guidelines",
    "Had", "Handle", "Handled", "Handles", "Happen", "Happened", "Hardware", "Has", "Have", "Having", "He", "Head",
    "Held", "Hello", "Help", "Helped", "Helps", "Hence", "Her", "Here", "Hey", "Hi", "Hidden", "High", "His", "Hold",
    "Home", "Hopefully", "House", "How", "However", "I", "If", "Implement", "Implemented", "Implements", "Improve",
    "Improved", "Improves", "In", "Include", "Included", "Includes", "Including", "Indian", "Industry", "Information",
    "Initial", "Initiative", "Initiatives", "Installation", "Instead", "Integrate", "Integrated", "Interactive",
    "Internal", "Internationalization", "Internet", "Intl", "Into", "Introduce", "Introduced", "Introduces",
    "Introduction", "Is", "Issue", "Issues", "It", "Italian", "Item", "Items", "Its", "Japanese", "Jewish", "Just",
    "Keep", "Kept", "King", "Know", "Knowledge", "Known", "Korean", "LTS", "Label", "Labels", "Land", "Landed",
    "Landing", "Large", "Last", "Latin", "Lead", "Leads", "Least", "Leave", "Left", "Less", "Let", "Lets",
    "Libraries", "Library", "Licence", "License", "Life", "Light", "Like", "Likewise", "Links", "Localization",
    "Long", "Look", "Looked", "Looking", "Looks", "Lord", "Love", "Low", "Madam", "Made", "Mail", "Maintainer",
    "Maintainers", "Major", "Make", "Makes", "Making", "Man", "Manager", "Managers", "Many", "Map", "Market", "May",
    "Maybe", "Meanwhile", "Meet", "Meeting", "Meetings", "Member", "Members", "Membership", "Men", "Mention",
    "Mentions", "Merge", "Merged", "Merges", "Merging", "Mexican", "Might", "Milestone", "Milestones", "Minister",
    "Minor", "Minutes", "Modified", "Modifies", "Modify", "Module", "Modules", "Mom", "Money", "Month", "Moon",
    "More", "Moreover", "Morning", "Most", "Motivation", "Move", "Moved", "Moves", "Movie", "Moving", "Mr", "Mrs",
    "Ms", "Much", "Multiple", "Mum", "Music", "Muslim", "Must", "My", "Need", "Needed", "Needs", "Never",
    "Nevertheless", "New", "Next", "Nice", "Nightly", "No", "Nobody", "Node", "None", "Nonetheless", "North",
    "Northern", "Not", "Notably", "Note", "Noted", "Notes", "Nothing", "Now", "Null", "Number", "Object", "Of",
    "Office", "Often", "Oh", "Ok", "Okay", "Old", "On", "Once", "Only", "Onto", "Open", "Opened", "Opens", "Option",
    "Options", "Or", "Original", "Originally", "Other", "Otherwise", "Our", "Out", "Outreach", "Over", "Overview",
    "Own", "Owner", "Owners", "PR", "PRs", "Package", "Packages", "Page", "Pages", "Parse", "Parses", "Part",
    "Partially", "Particularly", "Partner", "Partners", "Pass", "Passed", "Passes", "Peace", "People", "Per",
    "Performance", "Perhaps", "Person", "Plan", "Planning", "Plans", "Please", "Point", "Pointed", "Points",
    "Policies", "Policy", "Polish", "Portuguese", "Possibly", "Post", "Post-mortem", "Posts", "Power", "Prefer",
    "Preferred", "Present", "President", "Presumably", "Prevent", "Prevents", "Previous", "Previously", "Prince",
    "Princess", "Print", "Prints", "Private", "Probably", "Process", "Processes", "Prof", "Professor", "Project",
    "Project's", "Projects", "Promise", "Promises", "Proper", "Proposal", "Proposals", "Propose", "Proposed",
    "Provide", "Provided", "Provides", "Public", "Publish", "Published", "Pull", "Put", "Queen", "Question",
    "Questions", "Quick", "Raise", "Raised", "Rarely", "Re", "Read", "Reads", "Really", "Receive", "Received",
    "Recently", "Recording", "Ref", "Refactor", "Refs", "Regarding", "Release", "Released", "Releases", "Remove",
    "Removed", "Removes", "Removing", "Rename", "Renamed", "Renames", "Replace", "Replaced", "Replaces", "Report",
    "Reported", "Reports", "Request", "Requests", "Require", "Required", "Requires", "Research", "Return", "Returned",
    "Returns", "Revert", "Reverted", "Reverts", "Review", "Reviewed", "Reviewed-by", "Reviewing", "Right", "Roadmap",
    "Roman", "Room", "Run", "Running", "Runs", "Russian", "Said", "Same", "Say", "Says", "School", "Science",
    "Section", "Security", "See", "Seem", "Seems", "Seen", "Send", "Sent", "Server", "Set", "Sets", "Several",
    "Shall", "Share", "Shared", "She", "Ship", "Shipped", "Short", "Should", "Show", "Shows", "Signed-off-by",
    "Similarly", "Simple", "Simplify", "Since", "Single", "Sir", "Slow", "Small", "So", "Solve", "Solved", "Solves",
    "Some", "Somebody", "Someone", "Something", "Sometimes", "Sorry", "South", "Southern", "Spanish", "Specifically",
    "Stable", "Staff", "Stand", "Stand-up", "Standup", "Start", "Started", "Starting", "Starts", "State", "States",
    "Status", "Stay", "Steering", "Step", "Steps", "Still", "Stop", "Stopped", "Stops", "Strategic", "Stream",
    "Streams", "String", "Studies", "Study", "Such", "Suggest", "Suggested", "Suggests", "Summary", "Summit", "Sun",
    "Support", "Supported", "Supports", "Sure", "Swedish", "Swiss", "Switch", "Switched", "Symbol", "Sync", "TODO",
    "TSC", "Table", "Tag", "Tags", "Take", "Taken", "Team", "Teams", "Technical", "Tell", "Term", "Test", "Tested",
    "Testing", "Tests", "Than", "Thank", "Thanks", "Thanks-to", "That", "The", "Their", "Then", "There", "Therefore",
    "These", "They", "Think", "This", "Those", "Though", "Thought", "Through", "Thus", "Time", "To", "Today", "Todo",
    "Told", "Tomorrow", "Took", "Tracing", "Tried", "Trivial", "True", "Try", "Trying", "Turkish", "Turn", "Turned",
    "Tweak", "Tweaks", "Uncle", "Undefined", "Under", "Unfortunately", "Unless", "Unlike", "Until", "Up", "Update",
    "Updated", "Updates", "Updating", "Usage", "Use", "Used", "User", "Users", "Uses", "Using", "Usually", "Various",
    "Vendor", "Vendors", "Version", "Versions", "Very", "Via", "Video", "Vote", "Voted", "Voting", "WG", "Waiting",
    "Want", "Wanted", "Wants", "War", "Warn", "Warned", "Warning", "Warnings", "Warns", "Was", "Water", "We", "Web",
    "Website", "Week", "Well", "Were", "West", "Western", "What", "When", "Where", "Whether", "Which", "While", "Who",
    "Whom", "Whose", "Why", "Wiki", "Will", "With", "Without", "Woman", "Women", "Work", "Worked", "Working", "Works",
    "Workshop", "World", "Worse", "Worst", "Would", "Write", "Writes", "Written", "Wrong", "Wrote", "Year", "Yes",
    "Yesterday", "Yet", "You", "Your",
];

/// Keywords and literals, which name nothing.
#[rustfmt::skip]
pub(super) const CODE_LITERALS: [&str; 48] = [
    "true", "false", "null", "none", "nil", "undefined", "self", "this", "super", "ok", "err", "error", "some",
    "string", "int", "bool", "float", "void", "var", "let", "const", "fn", "if", "else", "for", "while", "return",
    "async", "await", "use", "pub", "mod", "impl", "struct", "enum", "class", "def", "end", "begin", "yes", "no",
    "on", "off", "in", "is", "not", "and", "or",
];

/// What names of files end with.
#[rustfmt::skip]
pub(super) const FILE_EXTENSIONS: [&str; 82] = [
    "rs", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs", "rb",
    "php", "pl", "lua", "swift", "sh", "bash", "zsh", "fish", "ps1", "bat", "md", "mdx", "rst", "txt", "toml", "json",
    "jsonl", "yaml", "yml", "xml", "html", "htm", "css", "scss", "sql", "csv", "tsv", "ini", "cfg", "conf", "lock",
    "gyp", "gypi", "gn", "proto", "ipynb", "tex", "pdf", "png", "jpg", "jpeg", "gif", "svg", "zip", "tar", "gz",
    "tgz", "bz2", "xz", "zst", "deb", "rpm", "exe", "dll", "so", "dylib", "wasm", "log", "diff", "patch", "snap",
    "parquet", "ics", "adoc",
];

/// Those of them that are also names of methods: `Blob.patch`.
pub(super) const METHODS: [&str; 8] =
    ["diff", "html", "json", "lock", "log", "patch", "snap", "zip"];

/// What names of servers end with.
#[rustfmt::skip]
pub(super) const DOMAINS: [&str; 19] = [
    "com", "org", "net", "io", "dev", "edu", "gov", "uk", "de", "fr", "eu", "me", "co", "info", "app", "ai", "us",
    "ch", "nl",
];

/// Names of files without an ending.
#[rustfmt::skip]
pub(super) const FILE_NAMES: [&str; 12] = [
    "Makefile", "Dockerfile", "CHANGELOG", "README", "CONTRIBUTING", "Gemfile", "Rakefile", "Procfile", "Vagrantfile",
    "Jenkinsfile", "CMakeLists", "Cargo.lock",
];

/// Words with a capital inside that are not code.
#[rustfmt::skip]
pub(super) const NOT_CAMEL: [&str; 42] = [
    "PhD", "PhDs", "MSc", "BSc", "BEng", "MEng", "PostDoc", "LaTeX", "BibTeX", "DeepL", "McDonald", "eBay", "YouTube",
    "LinkedIn", "WhatsApp", "TikTok", "PayPal", "FaceTime", "FedEx", "LinkedList", "HelloFresh", "BlackBerry",
    "PlayStation", "AirPods", "AirBnB", "MacBook", "MacBooks", "MacOS", "TripAdvisor", "TripAdvisors", "DoorDash",
    "DuoLingo", "MasterCard", "StackOverflow", "HackerNews", "ReadMe", "ChangeLog", "GoToMeeting", "DevOps", "SaaS",
    "PaaS", "IaaS",
];

/// Beginnings of family names before a capital.
#[rustfmt::skip]
pub(super) const NAME_PREFIXES: [&str; 14] = [
    "Mc", "Mac", "De", "Di", "Da", "La", "Le", "Van", "Von", "O", "Fitz", "Du", "Des", "Del",
];

/// Last parts of names of types and functions. Sorted.
#[rustfmt::skip]
pub(super) const CODE_NOUNS: [&str; 202] = [
    "Action", "Adapter", "Address", "Array", "Arrays", "Batch", "Block", "Body", "Box", "Bridge", "Buffer", "Buffers",
    "Builder", "Button", "Cache", "Callback", "Cell", "Channel", "Chunk", "Class", "Client", "Clock", "Column",
    "Command", "Component", "Config", "Context", "Controller", "Count", "Counter", "Date", "Decoder", "Dialog",
    "Dispatcher", "Edge", "Encoder", "Engine", "Entry", "Enum", "Error", "Errors", "Event", "Events", "Exception",
    "Extension", "Factory", "Field", "File", "Files", "Filter", "Flag", "Flags", "Flow", "Form", "Formatter",
    "Function", "Gateway", "Glob", "Graph", "Guard", "Handle", "Handler", "Handlers", "Header", "Headers", "Helper",
    "Hook", "Hooks", "Id", "Impl", "Index", "Input", "Interface", "Iter", "Iterator", "Job", "Key", "Kind", "Layer",
    "Ledger", "Length", "Limiter", "Line", "List", "Listener", "Loader", "Lock", "Log", "Logger", "Manager", "Map",
    "Mark", "Match", "Matcher", "Message", "Metrics", "Mixer", "Mode", "Model", "Module", "Modules", "Monitor",
    "Name", "Node", "Object", "Observer", "Option", "Options", "Output", "Page", "Panel", "Parser", "Path", "Pattern",
    "Pipeline", "Plugin", "Policy", "Pool", "Port", "Printer", "Process", "Promise", "Provider", "Proxy", "Query",
    "Queue", "Range", "Reader", "Record", "Ref", "Regex", "Registry", "Rejection", "Renderer", "Repository",
    "Request", "Response", "Result", "Router", "Row", "Rule", "Rules", "Runner", "Scheduler", "Searcher", "Segment",
    "Serializer", "Server", "Service", "Session", "Set", "Signal", "Sink", "Size", "Slice", "Socket", "Source",
    "Span", "Spec", "Stage", "State", "Step", "Storage", "Store", "Str", "Strategy", "Stream", "Streams", "String",
    "Struct", "Table", "Target", "Task", "Test", "Tests", "Thread", "Time", "Timer", "Timers", "Token", "Tokens",
    "Tracer", "Tracker", "Trait", "Tree", "Type", "Types", "Url", "Util", "Utils", "Validator", "Value", "Vec",
    "View", "Visitor", "Widget", "Window", "Work", "Worker", "Workers", "Wrap", "Writer",
];

/// Words beside the name of a piece of code.
#[rustfmt::skip]
pub(super) const CODE_SORTS: [&str; 39] = [
    "crate", "crates", "function", "functions", "method", "methods", "type", "types", "module", "modules", "option",
    "options", "flag", "flags", "command", "commands", "trait", "traits", "struct", "enum", "class", "variable",
    "variables", "macro", "field", "fields", "parameter", "argument", "attribute", "constant", "package", "library",
    "feature", "binary", "subcommand", "property", "event", "hook", "keyword",
];

/// Words after the name of a package.
#[rustfmt::skip]
pub(super) const PACKAGE_WORDS: [&str; 3] = [
    "crate", "crates", "gem",
];

/// Words before those that name no package.
#[rustfmt::skip]
pub(super) const PLAIN_BEFORE_PACKAGE: [&str; 40] = [
    "new", "same", "whole", "entire", "main", "standard", "current", "old", "other", "following", "first", "last",
    "top-level", "root", "rust", "separate", "internal", "private", "public", "upstream", "single", "appropriate",
    "local", "core", "own", "latest", "various", "external", "third-party", "other-people", "helper", "corresponding",
    "existing", "relevant", "right", "underlying", "parent", "actual", "published", "resulting",
];
