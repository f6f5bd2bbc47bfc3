//! TLS to the room. A certificate has to be for the room's name and signed by somebody who is trusted: those whom this
//! machine trusts, or whom a file names instead.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Opens TLS connections to one name.
pub struct Tls {
    /// Does the handshake.
    pub connector: TlsConnector,
    /// Whose certificate it has to be.
    pub name: ServerName<'static>,
}

impl Tls {
    /// To `host`, trusting the certificates in the file `trusted` alone, or without one those of this machine.
    pub fn to(host: &str, trusted: Option<&Path>) -> Result<Self, String> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| format!("--url: {host} is no name that a certificate can be for"))?;
        let roots = match trusted {
            Some(file) => {
                named(file).map_err(|problem| format!("--trust {}: {problem}", file.display()))?
            }
            None => of_this_machine()?,
        };
        let mut config = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            connector: TlsConnector::from(Arc::new(config)),
            name,
        })
    }
}

fn named(file: &Path) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|problem| problem.to_string())?;
    for certificate in certificates {
        let certificate = certificate.map_err(|problem| problem.to_string())?;
        roots
            .add(certificate)
            .map_err(|problem| problem.to_string())?;
    }
    match roots.is_empty() {
        true => Err("holds no certificate as PEM".to_owned()),
        false => Ok(roots),
    }
}

fn of_this_machine() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    match roots.is_empty() {
        true => Err(format!(
            "this machine trusts nobody's certificates ({:?}); --trust FILE names whom to trust",
            found.errors
        )),
        false => Ok(roots),
    }
}
