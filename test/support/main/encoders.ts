/**
 * Writes a text byte by byte in UTF-8, with `%XX` for everything but letters, digits and the characters of `left`.
 */
const percent = (text: string, left: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      const stays = /[A-Za-z0-9]/.test(character) || left.includes(character)
      return stays ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

/** How common encoders other than JavaScript's own write a text, by name. */
export const encoders: Readonly<Record<string, (text: string) => string>> = {
  'quote of Python': (text) => percent(text, '_.-~/'),
  'quote_plus of Python': (text) => percent(text, '_.-~ ').replaceAll(' ', '+'),
  'URLEncoder of Java': (text) => percent(text, '.-*_ ').replaceAll(' ', '+'),
  'urlencode of PHP': (text) => percent(text, '-_. ').replaceAll(' ', '+'),
  'PathEscape of Go': (text) => percent(text, '-_.~$&+=:@'),
  'a query with its equals signs': (text) => percent(text, '-_.~='),
  'an XML text': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'html.escape of Python': (text) =>
    encoders['an XML text']!(text).replaceAll('"', '&quot;').replaceAll("'", '&#x27;'),
  'html/template of Go': (text) =>
    encoders['an XML text']!(text).replaceAll('"', '&#34;').replaceAll("'", '&#39;'),
  'a text in a script': (text) =>
    text.replace(/[&<>"'=]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`),
  'base64 in e-mail': (text) =>
    Buffer.from(text)
      .toString('base64')
      .replace(/.{76}(?=.)/g, '$&\r\n'),
  'base64 in PEM': (text) =>
    Buffer.from(text)
      .toString('base64')
      .replace(/.{64}(?=.)/g, '$&\n'),
}
