/*
 * Word lists for extracting the gist of an English claim. Any word not listed here counts as part of the
 * subject, so a missing word can make two claims differ, but never match.
 */

function wordsIn(words: string): readonly string[] {
  return words.split(/\s+/u).filter(Boolean);
}

/** By word and not by stem: a scheduler is a thing, but "scheduled" introduces a time. */
function byWord(groups: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(groups).flatMap(([name, words]) =>
      wordsIn(words).map((word) => [word, name] as const),
    ),
  );
}

/** Words that introduce an attribute of a subject. */
export const ATTRIBUTES = byWord({
  own: `own owns owned owner owners ownership responsible responsibility maintain maintains maintainer
    maintained lead leads leader manage manages manager handle handles accountable belongs steward`,
  approve: 'approve approves approver approval review reviews reviewer reviewed',
  contact: 'contact phone email mail extension',
  listen: 'listen listens listening port bind binds bound expose exposes reachable answers',
  place: `live lives located location sit sits reside resides stand stands lie lies host hosts hosted
    housed stays`,
  keep: 'keep keeps kept retain retains retained retention hold holds store stores stored',
  run: `run runs running start starts started begin begins happen happens schedule scheduled fire fires
    trigger triggers triggered execute executes executed`,
  expire: 'expire expires expired expiry renew renews renewed renewal valid validity lapses',
  limit: 'limit limits limited cap caps capped maximum max ceiling quota',
  use: 'use uses used using rely relies written powered build builds built',
  prefer: 'prefer prefers preferred preference likes favours favors favourite favorite',
  cost: 'cost costs price priced fee',
  version: 'version',
  timeout: 'timeout',
  reset: 'reset resets wipe wipes wiped refresh refreshes refreshed',
});

/** Attributes that can have several values at once: only a stated change makes values conflict. */
export const SHARED_ATTRIBUTES: ReadonlySet<string> = new Set(['use', 'prefer']);

/** Attributes whose value is a person. */
export const PERSON_ATTRIBUTES: ReadonlySet<string> = new Set(['own', 'approve', 'contact']);

/** After these a plain word is a value: `uses npm`, `lives in the annex`. */
export const VALUE_ATTRIBUTES: ReadonlySet<string> = new Set(['use', 'prefer', 'place']);

/** Synonyms. */
export const SYNONYMS = byWord({
  database: 'database databases db dbs',
  repository: 'repository repositories repo repos',
  deploy: 'deploy deploys deployed deployment deployments release releases ship ships rollout',
  production: 'production prod',
  documentation: 'documentation docs doc',
  environment: 'environment env',
  configuration: 'configuration config',
  kubernetes: 'kubernetes k8s',
  authentication: 'authentication auth',
  backup: 'backup backups',
  certificate: 'certificate certificates cert certs',
  invoice: 'invoice invoices',
  meeting: 'meeting meetings meet meets',
});

/** Words that do not identify a subject. */
export const GENERIC: ReadonlySet<string> = new Set(
  wordsIn(`service services server servers system systems app apps application applications component tool
    thing new old current currently now also still usually always again just set setting settings sets
    value please already today our we us they someone everybody everyone people person there here
    per each every about around via up out off only exactly time hour clock o'clock move moves moved
    moving change changes changed changing switch switches switched switching migrate migrates
    migrated become becomes became go goes went gone get gets got turn pass passes passed hand handed
    instead anymore longer since replace replaces replaced replacing both own-er no not never any more
    one ones take takes took taken happens decided decision agreed agree it's that's name named called
    remember noted note fyi update updated correction learned turns rather than`),
);

/** A word before these identifies the subject: `the storage service`. */
export const THINGS: ReadonlySet<string> = new Set(
  wordsIn('service server system app application component tool team job host cluster'),
);

/** Frequency modifiers. */
export const FREQUENCIES: ReadonlySet<string> = new Set(
  wordsIn('hourly nightly daily weekly fortnightly monthly quarterly yearly'),
);

export const WEEKDAYS: ReadonlySet<string> = new Set(
  wordsIn(`monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday
    saturdays sunday sundays`),
);

/** Units of time. */
export const DURATIONS: ReadonlySet<string> = new Set(
  wordsIn(
    'second seconds minute minutes min hour hours day days week weeks month months year years',
  ),
);

/** Other units that follow a number. */
export const UNIT = /^(?:[kmgt]i?b|[kmg]bit|bytes?|ms|px|rpm|usd|eur|euros?|dollars?|percent)$/iu;

/** Phrases replaced by a single word or number before tokenizing. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:(?:are|ca|do|does|has|have|is|wo)n['’]t|not)\b(?=[^,;:.!?]{1,60}\bany ?(?:more|longer)\b)/giu,
    ' no longer ',
  ],
  [
    /\b(?:is |are )?(?:in charge of|responsible for|looks? after|take(?:s|n)? over|took over)\b/giu,
    ' owns ',
  ],
  [/\b(?:main |first )?(?:point of contact|contact person)\b/giu, ' contact '],
  [/\bsign(?:s|ed)?[- ]off(?: on)?\b/giu, ' approves '],
  [/\b(?:takes? place|kicks? off|goes? off)\b/giu, ' runs '],
  [/\b(?:at most|no more than|up to)\b/giu, ' limit '],
  [/\bruns? on port\b/giu, ' listens on port '],
  [/\b(?:runs? on|built (?:on|with)|based on|written in)(?= [a-z`])/giu, ' uses '],
  [/\bmoved (?:house|home|flats?|apartments?)(?: (?=to \p{Lu})|[,:;]\s*)/giu, ' now lives '],
  [/\bstarted (?:working|an? (?:new )?job) (?:at|with)\b/giu, ' now works at '],
  [/\bcan be found\b/giu, ' located '],
  [/\b(?:every|each) night\b/giu, ' nightly '],
  [/\b(?:every|each) day\b/giu, ' daily '],
  [/\b(?:every|each) week\b/giu, ' weekly '],
  [/\b(?:every|each) month\b/giu, ' monthly '],
  [/\bhalf past (\d{1,2})\b/giu, ' $1:30 '],
  [/\bquarter past (\d{1,2})\b/giu, ' $1:15 '],
  [/\bnoon\b/giu, ' 12:00 '],
  [/\bmidnight\b/giu, ' 00:00 '],
];

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const TENS = 'ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** Number words; not "one", which is usually a pronoun. */
export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map([
  ...NUMBERS.map((word, at) => [word, String(at)] as const).filter(([word]) => word !== 'one'),
  ['fifteen', '15'],
  ...TENS.map((word, at) => [word, String((at + 1) * 10)] as const),
]);

/** Claims about the past, possibilities or temporary states say nothing about the present. */
export const TENTATIVE =
  /\b(?:will|would|might|may|could|should|shall|maybe|perhaps|possibly|probably|if|unless|(?:plans?|planned|planning) (?:to|for|on)|consider(?:s|ed|ing)?|propos(?:e|es|ed|al)|suggest(?:s|ed)?|idea|draft|someday|going to|thinking (?:of|about)|wants?|wish(?:es)?|hopes?|try|tries|tried|trying|experiment\w*|test(?:s|ed|ing)? (?:with|whether|if)|temporar(?:y|ily)|for (?:now|today|the moment|the time being)|until|during|tomorrow|next (?:week|month|quarter|year|sprint)|rumou?r\w*|almost|nearly|asked (?:whether|if|to))\b/iu;
export const PAST =
  /\b(?:used to|previously|formerly|originally|back then|in the past|at the time|long ago|last (?:year|month|quarter)|historically|once (?:had|was|were)|had been|years ago)\b/iu;

/** Words that announce a change. */
export const CHANGE =
  /\b(?:now|no longer|any ?more|any longer|instead|rather than|mov(?:e|es|ed|ing)|chang(?:e|es|ed|ing)|switch(?:es|ed|ing)?|migrat(?:e|es|ed|ing)|replac(?:e|es|ed|ing)|renamed|became|becomes|took over|taken over|takes over|handed|passed (?:to|from|on)|pushed (?:to|back)|raised|lowered|increased|decreased|reduced|bumped|cut|went (?:up|down|from)|goes (?:up|down)|upgraded|as of|since|from now on|starting|effective|new(?:ly)?|update|updated|correction|superseded?s?)\b|→|->|=>/iu;

/** Verbs that say nothing about the present in this form. */
export const PAST_VERB = /\b(?:was|were|had|worked|lived|resided|studied)\b/iu;

/** A claim with these is true in addition to another, or denies its own value: neither replaces anything. */
export const ADDS =
  /\b(?:also|too|as well|another|(?:an?|our|the|my|their) (?:second|other)|additionally|besides|sometimes|not|never|\p{L}+n['’]t)\b/iu;

/** A claim with these says the opposite of one without; not "at 02:30, not 03:30", "not only" and "no more than". */
export const DENIES =
  /(?<!(?:[,;–—-]|\b(?:and|but|or|if|whether)) )\bnot\b(?! (?:only|just)\b)|\b(?:never|cannot|nobody|none|nothing|neither)\b|\bno\b(?!\.| (?:more|later|less|fewer|earlier) than\b)|\p{L}n['’]t\b/iu;

/** What a change of place or tool is about, if nothing else in the claim says so. */
export const MOVED = /\b(?:mov(?:e|es|ed)|relocat(?:e|es|ed))\b/iu;
export const SWITCHED = /\b(?:switch(?:es|ed)?|migrat(?:e|es|ed))\b/iu;

/** Guesses and plans. */
const SPECULATION =
  /\b(?:might|maybe|perhaps|possibly|probably|may (?:be|have|want|need|soon)|consider(?:ing|ed)|thinking (?:of|about)|propos(?:al|es?|ed)|(?:not|nobody is|no one is) sure|unsure|undecided|unclear|rumou?r\w*|someday|plan(?:s|ned|ning)? to|going to|next (?:week|month|sprint|quarter)|revisit)\b|^\W*(?:idea|proposal|draft|thought)s?\s*:/iu;
/** Events and feelings of a single day. */
const EPISODE =
  /\b(?:spent|joked|chatted|chat with|confused|argued|complained|wondered|laughed|discussed|debugged|looked (?:for|into|at)|looking (?:for|into)|waited|waiting for|tried|ran into|had lunch|caught up with|stumbled|struggled|for the \d+(?:st|nd|rd|th) time|little to show)\b/iu;
const DAY_WORD =
  /\b(?:today|tonight|yesterday|tomorrow|this (?:morning|afternoon|evening|week)|just now|so far|at the moment|for now)\b/iu;

/**
 * Whether a claim is an event, a plan or a guess. Searches find passing remarks too, so being recalled does
 * not make them facts. A change announced with "today" is not passing.
 */
export function isPassing(text: string): boolean {
  return (
    SPECULATION.test(text) || EPISODE.test(text) || (DAY_WORD.test(text) && !CHANGE.test(text))
  );
}
