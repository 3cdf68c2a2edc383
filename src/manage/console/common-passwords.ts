/**
 * True for a password that attackers try first: a frequent one of leaked lists, a frequent word with digits or signs
 * appended, one or two characters only, a short part repeated, or neighbouring keys.
 */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  const word = text.replace(/[\d\p{P}\p{S}]+$/u, '');
  return (
    common.has(text) ||
    words.has(word) ||
    new Set(text).size <= 2 ||
    /^(.{1,4}?)\1+$/su.test(text) ||
    rows.some((row) => row.includes(text))
  );
}

/** Rows of keyboards and the alphabet, forwards and backwards. */
const rows = ['12345678901234567890', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm', 'qwertzuiopasdfghjkl']
  .flatMap((row) => [row, row.split('').toReversed().join('')])
  .map((row) => row + row);

/** Words that are too common with any digits or signs appended. */
const words: ReadonlySet<string> = new Set(
  `password passwort passwd passw0rd p@ssword p@ssw0rd mypassword qwerty qwertyuiop qwertz azerty
  asdfgh asdfghjkl zxcvbnm admin administrator root user guest test testing demo welcome letmein login changeme changeit
  secret default master dragon monkey shadow sunshine princess football baseball basketball superman batman spiderman
  iloveyou ilovey0u loveyou trustno starwars whatever computer internet michael jennifer jordan charlie thomas ashley
  daniel jessica matthew andrew joshua liverpool chelsea arsenal barcelona realmadrid manchester hello helloworld freedom
  flower summer winter spring autumn samsung google facebook linkedin instagram pokemon naruto minecraft fuckyou killer
  hunter soccer hockey ranger harley mustang ferrari corvette mercedes porsche cookie chocolate butterfly woaini
  wodemima mima woaiwojia china beijing shanghai abcd abcdef abc qwe qweasd qazwsx asd zxc gateway chatgateway company
  service system server database backup temp temporary newpassword`.split(/\s+/),
);

/** Most frequent entries of leaked lists with ten characters or more that the rules above do not match. */
const common: ReadonlySet<string> = new Set(
  `1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc 1qaz2wsx3edc4rfv q1w2e3r4t5 q1w2e3r4t5y6 zaq12wsxcde3 zaq1zaq1zaq1
  qwer1234qwer qwerty123456 qwerty12345 123456789a a123456789 123456789q q123456789 12345qwert qwert12345 1234qwerty
  123qweasdzxc 123qwe123qwe qweasdzxc123 1029384756 1357924680 2468013579 1478523690 7894561230 0147258369 147258369a
  1472583690 9638527410 3216549870 1234567891 12345678910 123456789123 1234567890a 1234567890q 01234567890 1212121212
  aa123456789 aa12345678 abc123456789 abcd123456 abc1234567 woaini1314 woaini520 woaini1314520 5201314520 5201314woaini
  1314520520 iloveyou1314 31415926535 3141592653 iloveyou2u ihateyou123 letmeinnow opensesame trustnoone qazwsxedcrfv
  qazwsxedc1 qazwsx1234 asdf1234asdf asdfjkl123 asdfasdf123 zxcvbnm123 zxcvbnm1234 1234asdfgh 1234567qwe qwe1234567
  superman123 spiderman1 correcthorsebatterystaple thisismypassword mypassword1 passwordpassword adminadmin rootroot12
  administrator1 testtest12 testtest123 welcomehome jesuschrist godisgood1 blessed123 manchesterunited leedsunited
  cristiano7 ronaldo123 lionelmessi realmadrid1 barcelona10 galatasaray fenerbahce besiktas19 motherfucker mamapapa123
  sunshine123 princess123 charlie123 michelle123 elizabeth1 alexander1 christopher nightwish1 metallica1 slipknot666
  linkinpark blink182blink starwars123 pokemon123 minecraft123 computer123 internet123 samsung123 microsoft1
  windows123 changeme123 default123 qwerty1234567 1q2w3e4r1q2w3e4r 1a2b3c4d5e 1a2b3c4d5e6f a1b2c3d4e5 a1b2c3d4e5f6`.split(
    /\s+/,
  ),
);
