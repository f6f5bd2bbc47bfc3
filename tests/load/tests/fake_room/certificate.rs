//! A certificate for this machine, which nobody has signed but itself.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Makes one for `name`, as `openssl` writes a subject's other name; gives what serves it, and its file.
pub fn self_signed(name: &str) -> (TlsAcceptor, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace([':', '.'], "-"));
    std::fs::create_dir_all(&folder).unwrap();
    let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"])
        .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-subj", &format!("/CN={name}")])
        .args(["-addext", &format!("subjectAltName={name}")])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args([Path::new("-keyout"), &key, Path::new("-out"), &certificate])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let served = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_file(&certificate).unwrap()],
            PrivateKeyDer::from_pem_file(&key).unwrap(),
        )
        .unwrap();
    (TlsAcceptor::from(Arc::new(served)), certificate)
}
