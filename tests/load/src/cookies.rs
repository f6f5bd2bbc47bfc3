//! One browser's cookies for the one site it visits.

/// The cookies of a browser.
#[derive(Clone, Debug, Default)]
pub struct Jar {
    cookies: Vec<(String, String)>,
}

impl Jar {
    /// Takes over one `Set-Cookie`; one with `Max-Age=0` takes the cookie away.
    pub fn take(&mut self, set_cookie: &str) {
        let mut parts = set_cookie.split(';');
        let Some((name, value)) = parts.next().and_then(|pair| pair.trim().split_once('=')) else {
            return;
        };
        let max_age = parts
            .filter_map(|part| part.trim().split_once('='))
            .find(|(key, _)| key.eq_ignore_ascii_case("max-age"));
        let gone = max_age.is_some_and(|(_, age)| age.parse::<i64>().is_ok_and(|age| age <= 0));
        self.cookies.retain(|(known, _)| known != name);
        if !gone {
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
    }

    /// The `Cookie` header, if there is anything to say.
    pub fn header(&self) -> Option<String> {
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// Whether a cookie's name contains `part`.
    pub fn has(&self, part: &str) -> bool {
        self.cookies.iter().any(|(name, _)| name.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_kept_replaced_and_taken_away() {
        let mut jar = Jar::default();
        assert_eq!(jar.header(), None);
        jar.take("wr-ticket-demo-1=abc=; Path=/; HttpOnly; Max-Age=86400");
        jar.take("wr-pass-demo-1=one; Path=/");
        jar.take("wr-pass-demo-1=two; Path=/");
        assert_eq!(
            jar.header().as_deref(),
            Some("wr-ticket-demo-1=abc=; wr-pass-demo-1=two")
        );
        jar.take("wr-pass-demo-1=; max-age=0; Path=/");
        assert_eq!(jar.header().as_deref(), Some("wr-ticket-demo-1=abc="));
        assert!(jar.has("wr-ticket") && !jar.has("wr-pass"));
        jar.take("nonsense");
        assert_eq!(jar.header().as_deref(), Some("wr-ticket-demo-1=abc="));
    }
}
