<?php
// An origin in PHP that admits only visitors with a pass of the waiting room. No library: `hash_hmac` is all it needs.
// `auto_prepend_file = /path/to/verify.php` in php.ini puts it in front of every script; or `require` it first.
// The settings come from `npm run origin-key`.
declare(strict_types=1);

const MAX_PASS_BYTES = 1024;
const LEEWAY_SECONDS = 30;
/** How long the last pass of a session outlives it. */
const LAST_PASS_SECONDS = 60;

function waiting_room_setting(string $name): string
{
    $value = getenv($name);
    return $value !== false && $value !== '' ? $value : throw new RuntimeException("$name is not set");
}

function base64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

function from_base64url(string $text): string
{
    return (string) base64_decode(strtr($text, '-_', '+/'), true);
}

/** The keys by the whole header that belongs to each: `<key id>:<base64url>`, with spaces between while two are live. */
function waiting_room_keys(): array
{
    $keys = [];
    foreach (explode(' ', waiting_room_setting('WAITING_ROOM_KEYS')) as $text) {
        [$kid, $key] = explode(':', "$text:");
        $header = base64url('{"alg":"HS256","typ":"wr-pass+jwt","kid":"' . $kid . '"}');
        $keys[$header] = strlen(from_base64url($key)) === 32
            ? from_base64url($key)
            : throw new RuntimeException('WAITING_ROOM_KEYS: not <key id>:<32 bytes>');
    }
    return $keys;
}

/** The claims of a pass that holds at `$now`, in Unix seconds; null for whatever else it is given. */
function waiting_room_pass(string $pass, ?int $now = null): ?array
{
    $now ??= time();
    $segments = explode('.', $pass);
    $key = waiting_room_keys()[$segments[0]] ?? null;
    if (strlen($pass) > MAX_PASS_BYTES || count($segments) !== 3 || $key === null) {
        return null;
    }
    [$header, $payload, $signature] = $segments;
    // Compared as text, a signature has one form only.
    if (!hash_equals(base64url(hash_hmac('sha256', "$header.$payload", $key, true)), $signature)) {
        return null;
    }
    // The claims have one form as well, in bytes: what a JSON reader makes of another one does not matter.
    $text = from_base64url($payload);
    $claims = '~^\{"v":[12],"iss":"(?<iss>[^"]+)","aud":"(?<aud>[^"]+)","evt":"(?<evt>[^"]+)","run":(?<run>N),'
        . '"jti":"(?<home>N)\.(?<index>N)\.(?<generation>N)","iat":(?<iat>N),"exp":(?<exp>N),"sx":(?<sx>N)\}\z~';
    if (base64url($text) !== $payload || !preg_match(str_replace('N', '(?:0|[1-9][0-9]{0,15})', $claims), $text, $claim)) {
        return null;
    }
    $largest = ['run' => 2 ** 32 - 1, 'home' => 2 ** 16 - 1, 'index' => 2 ** 32 - 1, 'generation' => 2 ** 32 - 1];
    foreach ($largest + ['iat' => 2 ** 53 - 1, 'exp' => 2 ** 53 - 1, 'sx' => 2 ** 53 - 1] as $name => $limit) {
        if ((int) $claim[$name] > $limit) {
            return null;
        }
    }
    $isForUs = $claim['iss'] === waiting_room_setting('WAITING_ROOM_ISSUER')
        && $claim['aud'] === waiting_room_setting('WAITING_ROOM_AUDIENCE')
        && $claim['evt'] === waiting_room_setting('WAITING_ROOM_EVENT');
    $isInTime = $claim['iat'] <= $now + LEEWAY_SECONDS && $now < $claim['exp'] + LEEWAY_SECONDS;
    return $isForUs && $isInTime && $claim['exp'] <= $claim['sx'] + LAST_PASS_SECONDS ? $claim : null;
}

// Believe no other header, and no cookie. Command lines are no visitors.
if (PHP_SAPI !== 'cli' && waiting_room_pass($_SERVER['HTTP_WAITING_ROOM_PASS'] ?? '') === null) {
    http_response_code(403);
    header('Content-Type: text/plain');
    header('Cache-Control: no-store');
    exit("only through the waiting room\n");
}
