//! The process: it listens, and ends without losing anything that it acknowledged.
//!
//! On SIGINT or SIGTERM it takes no more connections, finishes the requests that it has, ends the
//! streams of events and writes the receipts that wait. A second signal ends it at once; that loses
//! receipts alone.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::callers::Callers;
use super::clock::Clock;
use super::connection::Serving;
use super::events::{STREAMS_MAX, look_for_changes};
use super::log::Log;
use super::metrics::Metrics;
use super::origin::Names;
use super::rate::RateLimit;
use super::spaces::Spaces;
use super::work::{LONG_WORK_MAX, WRITES_MAX, Workers};
use super::{App, Listening, Options, TlsFiles, connection, routes};
use crate::failure::Failure;
use crate::service::Session;
use crate::service::maintenance::defaults::Defaults;
use crate::service::maintenance::removal::scheduled;

/// Most threads for the conversation, and the cores for one of them: a second one on two cores
/// takes turns with the first, and with the threads that do the work.
const CONVERSING_THREADS_MAX: usize = 2;
const CORES_OF_A_CONVERSING_THREAD: usize = 2;
/// Blocking threads beside those of requests and long work, for what looks after the spaces.
const SPARE_THREADS: usize = 4;
/// Connections at a time; further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 1_024;
/// How long requests may take after the process was asked to end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);
/// How long to wait before listening again, when the system gives no connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long after its start a server first archives and erases by itself.
const MAINTENANCE_DELAY: Duration = Duration::from_secs(1);
/// How long what is journalled waits for more, so that it is written together.
const JOURNAL_INTERVAL: Duration = Duration::from_millis(25);
/// How long after it could not be written it is tried again.
const JOURNAL_RETRY: Duration = Duration::from_millis(500);

fn conversing_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / CORES_OF_A_CONVERSING_THREAD).clamp(1, CONVERSING_THREADS_MAX)
}

pub(super) fn serve(
    session: Session,
    options: &Options,
    announce: impl FnOnce(&Listening) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let tls = options.tls.as_ref().map(acceptor).transpose()?;
    let maintained = Defaults::read(&session)?.every;
    let spaces = Spaces::open(&session)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(conversing_threads())
        .max_blocking_threads(Workers::count() + 2 * WRITES_MAX + LONG_WORK_MAX + SPARE_THREADS)
        .enable_all()
        .build()?;
    let (stop, stopping) = watch::channel(false);
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let app = Arc::new(App {
            callers: Callers::new(session.home.clone()),
            clock: Clock::default(),
            names: Names::new(address.ip(), &options.allowed_hosts),
            rate: RateLimit::new(options.a_minute),
            client_wait: options.client_wait,
            sessions: super::mcp::Sessions::default(),
            workers: Workers::new(),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            metrics: Metrics::new(),
            log: Log::start()?,
            document: std::sync::OnceLock::new(),
            session,
            spaces,
            stopping,
        });
        let scheme = if tls.is_some() { "https" } else { "http" };
        let ended = signalled()?;
        announce(&Listening { address, scheme })?;
        app.log.event("info", "listening", json!({ "address": address.to_string() }));
        tokio::spawn(look_for_changes(Arc::clone(&app)));
        tokio::spawn(write_journal(Arc::clone(&app)));
        if let Some(every) = maintained {
            tokio::spawn(maintain(Arc::clone(&app), every));
        }
        let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        tokio::select! {
            () = accept(&app, listener, tls.map(Arc::new), &connections) => {}
            () = ended => {}
        }
        app.log.event("info", "stopping", json!({}));
        let _ = stop.send(true);
        let all = u32::try_from(CONNECTIONS_MAX).unwrap_or(u32::MAX);
        tokio::select! {
            _ = timeout(SHUTDOWN_GRACE, connections.acquire_many(all)) => {}
            () = signalled()? => {}
        }
        Ok(app)
    });
    // Work that nobody waits for any more may still be finishing its write.
    runtime.shutdown_timeout(SHUTDOWN_GRACE);
    served.map(|app| app.spaces.close())
}

/// Accepts connections for as long as it is polled.
async fn accept(
    app: &Arc<App>,
    listener: TcpListener,
    tls: Option<Arc<TlsAcceptor>>,
    connections: &Arc<Semaphore>,
) {
    let serving = Serving {
        tls,
        router: routes::router(app),
        stopping: app.stopping.clone(),
        wait: app.client_wait,
    };
    loop {
        let Ok(held) = Arc::clone(connections).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                app.log.event("warn", "accept", json!({ "detail": error.to_string() }));
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let (app, serving) = (Arc::clone(app), serving.clone());
        tokio::spawn(async move {
            app.metrics.connections.fetch_add(1, Ordering::Relaxed);
            connection::serve(stream, serving).await;
            app.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(held);
        });
    }
}

async fn write_journal(app: Arc<App>) {
    loop {
        app.spaces.unwritten.notified().await;
        sleep(JOURNAL_INTERVAL).await;
        let writer = Arc::clone(&app);
        let written = tokio::task::spawn_blocking(move || writer.spaces.write_journal()).await;
        if !matches!(written, Ok(true)) {
            sleep(JOURNAL_RETRY).await;
        }
    }
}

/// Archives what may be removed and erases it, in one space after the other.
async fn maintain(app: Arc<App>, every: Duration) {
    sleep(MAINTENANCE_DELAY).await;
    loop {
        for space in app.spaces.iter() {
            // Other writers of this process wait for their turns here.
            let turn = Arc::clone(&space.writing).lock_owned().await;
            let (worker, space) = (Arc::clone(&app), Arc::clone(space));
            let name = space.name.clone();
            let done = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                let session = worker.session.at(worker.clock.now());
                let mut opened = space.for_owner(&session)?;
                let erased = scheduled(&mut opened, session.now, &Defaults::read(&session)?)?;
                space.note_head(opened.head()?.0);
                Ok::<_, Failure>(erased)
            });
            match done.await {
                Ok(Ok(0)) => {}
                Ok(Ok(erased)) => {
                    let fields = json!({ "space": name, "erased": erased });
                    app.log.event("info", "maintained", fields);
                }
                Ok(Err(failure)) => {
                    let fields = json!({ "space": name, "code": failure.code() });
                    app.log.event("error", "maintenance failed", fields);
                }
                Err(_) => app.log.event("error", "maintenance failed", json!({ "space": name })),
            }
        }
        sleep(every).await;
    }
}

/// Ends when the system asks the process to end.
fn signalled() -> Result<impl Future<Output = ()>, Failure> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, Failure> {
    let unusable = |path: &Path, reason: String| Failure::File {
        path: path.to_owned(),
        source: std::io::Error::other(reason),
    };
    let TlsFiles { certificates, key } = files;
    let chain = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(certificates, error.to_string()))?;
    if chain.is_empty() {
        return Err(unusable(certificates, "it holds no certificate in PEM".to_owned()));
    }
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| unusable(key, format!("it holds no private key in PEM: {error}")))?;
    let provider = Arc::new(ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| unusable(certificates, error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
