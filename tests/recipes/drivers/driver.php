<?php
// Asks the recipe in PHP: for each line of standard input, `<now> <pass in hexadecimal>`, prints 1 or 0.
declare(strict_types=1);
require $argv[1];
while (($line = fgets(STDIN)) !== false) {
    [$now, $hex] = explode(' ', rtrim($line, "\n"));
    echo waiting_room_pass((string) hex2bin($hex), (int) $now) === null ? "0\n" : "1\n";
}
