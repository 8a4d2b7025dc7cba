/** First and last names, as many of each: `fullName` pairs them without repeating itself. */
export interface Culture {
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly familyNameFirst?: true;
}

export const AMERICAN: Culture = {
  first: names(`
    Grace, Marcus, María, Tyler, Ingrid, DeShawn, Hannah, José, Naomi, Walter, Lucía, Owen, Renée, Samuel,
    Aaliyah, Peter, Zoë, Ramón, Judith, Caleb, Inés, Harold, Mei, Andre`),
  last: names(`
    Hale, Bell, Ortiz, Nguyen, Whitfield, Castañeda, Brooks, Kowalski, Peña, Freeman, Ito, Lund, Okafor, Reyes,
    Sullivan, Tran, Muñoz, Fletcher, Yazzie, Rossi, Park, Beauchamp, Singh, Diaz`),
};

export const IRISH: Culture = {
  first: names(`
    Aoife, Cillian, Sinéad, Oisín, Niamh, Pádraig, Róisín, Eoin, Caoimhe, Donal, Gráinne, Fergal, Orla, Tadhg,
    Bríd, Ciarán`),
  last: names(`
    O'Brien, Ní Bhriain, Byrne, Ó Súilleabháin, Kavanagh, O'Connor, Nolan, MacCarthy, Doyle, Gallagher, Keane,
    Fitzpatrick, O'Dowd, Lynch, Brennan, Hession`),
};

export const FRENCH: Culture = {
  first: names(`
    Amélie, Benoît, Chloé, François, Hélène, Jérôme, Anaïs, Loïc, Maëlle, Noé, Océane, Raphaël, Solène, Théo,
    Zélie, Gaël`),
  last: names(`
    Lefèvre, Moreau, Béranger, Dufour, Girard, Hérault, Lemaître, Marchand, Noël, Pelletier, Rivière,
    Saint-Martin, Tessier, Vasseur, Çelik, Roux`),
};

export const POLISH: Culture = {
  first: names(`
    Agnieszka, Łukasz, Małgorzata, Paweł, Zofia, Grażyna, Michał, Ewa, Stanisław, Jagoda, Wojciech, Bożena,
    Kazimierz, Róża, Tomasz, Żaneta`),
  last: names(`
    Wiśnia, Nowak, Dąbek, Zając, Łoś, Jaworski, Król, Wrona, Sikora, Gąsior, Mróz, Pająk, Ślusarz, Żuraw,
    Kubiak, Bąk`),
};

export const ITALIAN: Culture = {
  first: names(`
    Elena, Niccolò, Giulia, Matteo, Noemi, Ruggero, Chiara, Davide, Lucrezia, Andrea, Viola, Tommaso`),
  last: names(`
    Rossi, D'Angelo, Fabbri, Montanari, Zanotti, Cavalli, De Santis, Galli, Lodi, Marchesi, Nanni, Pini`),
};

export const SWEDISH: Culture = {
  first: names(`
    Åsa, Björn, Linnéa, Göran, Märta, Håkan, Ebba, Sören, Tuva, Örjan, Signe, Viggo`),
  last: names(`
    Öberg, Lindqvist, Åkesson, Sjöström, Häggkvist, Norén, Ek, Bergström, Hedlund, Malmsten, Rask, Ström`),
};

export const INDIAN: Culture = {
  first: names(`
    Ananya, Rohan, Lakshmi, Vikram, Meera, Arjun, Divya, Farhan, Sneha, Karthik, Nandini, Joseph, Revathi,
    Imran, Pooja, Siddharth, Anjali, Gopal, Tara, Harish, Leela, Manoj, Ishita, Thomas`),
  last: names(`
    Kulkarni, Nair, Deshpande, Menon, Joshi, Varghese, Patil, Pillai, Shaikh, Iyer, Gokhale, Kurian, Bhosale,
    Rao, Chacko, Apte, Das, Fernandes, Sathe, Warrier, Khan, Mathew, Jadhav, Thampi`),
};

export const JAPANESE: Culture = {
  familyNameFirst: true,
  first: names(`
    花子=Hanako, 健太=Kenta, 美咲=Misaki, 大輔=Daisuke, 陽子=Yoko, 翔=Sho, 直美=Naomi, 拓也=Takuya, さくら=Sakura, 誠=Makoto,
    恵=Megumi, 隆=Takashi`),
  last: names(`
    佐藤=Sato, 鈴木=Suzuki, 高橋=Takahashi, 田中=Tanaka, 渡辺=Watanabe, 伊藤=Ito, 山本=Yamamoto, 中村=Nakamura, 小林=Kobayashi,
    加藤=Kato, 吉田=Yoshida, 山田=Yamada`),
};

export const TAIWANESE: Culture = {
  familyNameFirst: true,
  first: names(`
    美玲=Mei-ling, 志明=Chih-ming, 雅婷=Ya-ting, 建宏=Chien-hung, 怡君=Yi-chun, 俊傑=Chun-chieh, 淑芬=Shu-fen, 家豪=Chia-hao,
    佩珊=Pei-shan, 冠宇=Kuan-yu, 心怡=Hsin-yi, 宗翰=Tsung-han`),
  last: names(`
    林=Lin, 陳=Chen, 黃=Huang, 張=Chang, 李=Li, 王=Wang, 吳=Wu, 劉=Liu, 蔡=Tsai, 楊=Yang, 許=Hsu, 鄭=Cheng`),
};

const NICKNAMES = ['Ace', 'Sunny', 'Doc', 'Red', 'Bee'];
const SUFFIXES = ['Jr.', 'PhD', 'CPA', 'MD'];

/** The n-th person of a culture, from 0: no two have the same name until every pair has been given. */
export function fullName({ first, last, familyNameFirst }: Culture, n: number): { name: string; uid: string } {
  const round = Math.floor(n / first.length);
  const given = first[n % first.length] ?? '';
  const family = last[(n + 7 * round) % last.length] ?? '';
  const uid = uidOf(`${latin(given)} ${latin(family)}`);
  if (familyNameFirst) return { name: `${written(family)} ${written(given)}`, uid };
  const name =
    n % 37 === 5
      ? `${written(given)} "${NICKNAMES[round % 5]}" ${written(family)}`
      : `${written(given)} ${written(family)}`;
  return { name: n % 43 === 11 ? `${name}, ${SUFFIXES[round % 4]}` : name, uid };
}

/** Names by comma; `花子=Hanako` is one with its Latin letters. */
function names(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

function written(name: string): string {
  return name.split('=')[0] ?? '';
}

function latin(name: string): string {
  return name.split('=').at(-1) ?? '';
}

/** "Łukasz O'Brien" → "lukasz-obrien". */
function uidOf(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}']/gu, '')
    .replaceAll(/[łŁ]/g, 'l')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}
