import {
  AMERICAN,
  type Culture,
  FRENCH,
  INDIAN,
  IRISH,
  ITALIAN,
  JAPANESE,
  POLISH,
  SWEDISH,
  TAIWANESE,
} from './names.ts';

/** Larkfield, a maker of garden tools: where it works, and what its people do together. */

/** The regions where it works. */
export const HOMES = ['us', 'eu', 'in'] as const;
export type Home = (typeof HOMES)[number];

export interface Office {
  readonly city: string;
  readonly people: number;
  readonly culture: Culture;
}

export const OFFICES: Readonly<Record<Home, readonly Office[]>> = {
  us: [
    { city: 'Portland', people: 170, culture: AMERICAN },
    { city: 'Austin', people: 130, culture: AMERICAN },
    { city: 'Chicago', people: 95, culture: AMERICAN },
    { city: 'Duluth', people: 45, culture: AMERICAN },
  ],
  eu: [
    { city: 'Dublin', people: 120, culture: IRISH },
    { city: 'Lyon', people: 100, culture: FRENCH },
    { city: 'Kraków', people: 90, culture: POLISH },
    { city: 'Bologna', people: 50, culture: ITALIAN },
    { city: 'Malmö', people: 20, culture: SWEDISH },
  ],
  in: [
    { city: 'Pune', people: 140, culture: INDIAN },
    { city: 'Kochi', people: 90, culture: INDIAN },
    { city: 'Osaka', people: 45, culture: JAPANESE },
    { city: 'Taipei', people: 25, culture: TAIWANESE },
  ],
};

/** Name and share of a region's people, in percent and rounded up, which the last one makes up for. */
export const DEPARTMENTS: readonly (readonly [name: string, percent: number])[] = [
  ['Board', 1],
  ['Legal', 1],
  ['Facilities', 3],
  ['People', 5],
  ['Design', 6],
  ['Finance', 8],
  ['Manufacturing', 14],
  ['Sales', 15],
  ['Support', 19],
  ['Engineering', 28],
];

type Sizes = Readonly<Record<Home, readonly (readonly [name: string, people: number])[]>>;

/** Evening classes, the teacher included. */
export const CLASSES: Sizes = {
  us: [
    ['spanish-a1', 16],
    ['spanish-b2', 9],
    ['sql-basics', 24],
    ['public-speaking', 12],
    ['welding', 6],
  ],
  eu: [
    ['english-c1', 18],
    ['french-a2', 11],
    ['spreadsheets', 22],
    ['pottery', 7],
  ],
  in: [
    ['japanese-n5', 17],
    ['kathak', 10],
    ['python', 25],
    ['first-aid', 8],
  ],
};

/** Clubs, the captain included. */
export const CLUBS: Sizes = {
  us: [
    ['running', 58],
    ['books', 34],
    ['board-games', 27],
    ['gardening', 22],
    ['parkour', 19],
    ['choir', 18],
    ['kayak', 12],
    ['chess', 9],
    ['birding', 7],
    ['sourdough', 5],
    ['accordion', 3],
  ],
  eu: [
    ['football', 46],
    ['cycling', 38],
    ['hiking', 31],
    ['film', 24],
    ['books', 19],
    ['petanque', 14],
    ['knitting', 8],
    ['beekeeping', 5],
    ['cheese', 4],
  ],
  in: [
    ['cricket', 52],
    ['badminton', 36],
    ['yoga', 33],
    ['photography', 21],
    ['carrom', 13],
    ['origami', 9],
    ['tea', 6],
    ['astronomy', 4],
  ],
};

/** Asked for by the file, but nobody has created it in the chat. */
export const MISSING_GROUP = 'club-parkour';

/** Its pupils are added on behalf of somebody who is not in it. */
export const CLASS_WITH_WRONG_ACTOR = 'class-first-aid';
export const WRONG_ACTOR = 'hr-desk';
