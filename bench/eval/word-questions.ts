import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Notes by name, and questions by class with the note that has the answer. */
interface Notes {
  readonly notes: Readonly<Record<string, string>>;
  readonly questions: Readonly<
    Record<string, readonly (readonly [question: string, note: string])[]>
  >;
}

const ENGLISH: Notes = {
  notes: {
    'cluster.md':
      '# Cluster\n\nThe kubernetes cluster is in Frankfurt. Its certificates are renewed every March.\n',
    'backup.md':
      '# Backups\n\nThe nightly backup goes to the second disk. Restoring was rehearsed in the spring.\n',
    'invoice.md':
      '# Bookkeeping\n\nThe invoice for the furniture was reimbursed by the accountant.\n',
    'travel.md':
      '# Travel\n\nWe booked the accommodation in Lisbon, with breakfast and a balcony.\n',
    'health.md': '# Health\n\nThe pharmacist recommended an antihistamine against the pollen.\n',
    'garden.md':
      '# Garden\n\nThe rhododendron needs acid soil. The hedgehog lives below the compost.\n',
    'meeting.md': '# Meeting\n\nThe quarterly schedule was postponed because of the negotiation.\n',
    'music.md': '# Music\n\nShe practises the violoncello and rehearses with the orchestra.\n',
    'users.md':
      '# Users\n\nThe method getUserName returns the name that is shown. It caches nothing.\n',
    'users-old.md':
      '# Users, old\n\nA user has a name. You get the name of the user from the directory.\n',
    'http.md': '# Client\n\nHTTPServerError is thrown by parseResponseBody when the body is cut.\n',
    'flags.md':
      '# Flags\n\nWith --dry-run nothing is written. With --force-rebuild everything is.\n',
    'flags-2.md':
      '# Rehearsal\n\nWe had a run through the dry dock, and a rebuild by force of habit.\n',
    'release-230.md': '# Release v2.3.0\n\nVersion v2.3.0 fixed the login, 1 of 3 open problems.\n',
    'release-231.md':
      '# Release v2.3.1\n\nVersion v2.3.1 fixed the export, 2 of 3 open problems.\n',
    'release-321.md':
      '# Release v3.2.1\n\nVersion v3.2.1 fixed the import, 3 of 3 open problems.\n',
    'paths.md':
      '# Layout\n\nRanking is in src/engine/rank.ts, and reading in src/engine/read.ts.\n',
    'paths-2.md': '# Engine\n\nThe src of the engine has a file for each kind of rank, in ts.\n',
    'errors.md':
      '# Errors\n\nERR_4012 means that the token has expired. E11000 is a duplicate key.\n',
    'errors-2.md':
      '# More errors\n\nERR_4013 means that the scope is missing. 4012 requests failed.\n',
    'settings.md':
      '# Settings\n\nmax_open_files limits handles. spring.datasource.url is the database.\n',
  },
  questions: {
    spelling: [
      ['kuberntes cluster', 'cluster.md'],
      ['when are certifcates renewed', 'cluster.md'],
      ['nihgtly', 'backup.md'],
      ['furnitrue', 'invoice.md'],
      ['acommodation in lisbon', 'travel.md'],
      ['antihistamin', 'health.md'],
      ['rododendron', 'garden.md'],
      ['hedgehgo', 'garden.md'],
      ['negotation', 'meeting.md'],
      ['orchestar', 'music.md'],
      ['pharmasict', 'health.md'],
      ['resotring', 'backup.md'],
    ],
    'spelling, two edits': [
      ['acomodation', 'travel.md'],
      ['rododendrun', 'garden.md'],
      ['qarterly sheduel', 'meeting.md'],
      ['violonchelo', 'music.md'],
      ['reimburssedd', 'invoice.md'],
    ],
    identifiers: [
      ['getUserName', 'users.md'],
      ['what returns the user name', 'users.md'],
      ['getusername', 'users.md'],
      ['get_user_name', 'users.md'],
      ['HTTPServerError', 'http.md'],
      ['server error', 'http.md'],
      ['response body', 'http.md'],
      ['--dry-run', 'flags.md'],
      ['--force-rebuild', 'flags.md'],
      ['v2.3.1', 'release-231.md'],
      ['2.3.1', 'release-231.md'],
      ['v3.2.1', 'release-321.md'],
      ['src/engine/rank.ts', 'paths.md'],
      ['rank.ts', 'paths.md'],
      ['ERR_4012', 'errors.md'],
      ['E11000', 'errors.md'],
      ['max_open_files', 'settings.md'],
      ['maxOpenFiles', 'settings.md'],
      ['spring.datasource.url', 'settings.md'],
    ],
  },
};

const GERMAN: Notes = {
  notes: {
    'strom.md': '# Wohnung\n\nDie Stromrechnung kommt im März und wird vom Konto abgebucht.\n',
    'heizung.md':
      '# Heizung\n\nDer Heizungsmonteur war da und hat das Thermostatventil getauscht.\n',
    'auto.md':
      '# Auto\n\nDie Werkstatt hat die Bremsbeläge gewechselt. Die Winterreifen sind im Keller.\n',
    'schule.md':
      '# Schule\n\nDer Elternabend ist am Donnerstag. Die Klassenlehrerin heißt Frau Vogt.\n',
    'garten.md':
      '# Garten\n\nWir haben Apfelbäume gepflanzt. Die Gartenhäuser der Nachbarn sind neu.\n',
    'bank.md': '# Bank\n\nDie Kontonummer steht auf dem Kontoauszug. Die Zinsen sind gestiegen.\n',
    'arzt.md':
      '# Gesundheit\n\nDer Zahnarzttermin wurde verschoben. Das Rezept liegt in der Praxis.\n',
    'reise.md': '# Reise\n\nDie Fahrkarten sind gebucht, das Hotelzimmer ist storniert worden.\n',
    'computer.md':
      '# Rechner\n\nDie Sicherungen laufen nachts. Das Passwort der Datenbank wurde geändert.\n',
    'küche.md':
      '# Küche\n\nDer Geschirrspüler war undicht, deshalb wurde eine Dichtung bestellt.\n',
    'versicherung.md':
      '# Versicherung\n\nDie Haftpflichtversicherung wurde gekündigt und eine neue abgeschlossen.\n',
    'verein.md':
      '# Verein\n\nDie Mitgliedsbeiträge werden im Januar fällig. Der Vorstand wird gewählt.\n',
  },
  questions: {
    'German compounds': [
      ['Rechnung', 'strom.md'],
      ['Ventil', 'heizung.md'],
      ['Reifen', 'auto.md'],
      ['Lehrerin', 'schule.md'],
      ['Bäume', 'garten.md'],
      ['Auszug', 'bank.md'],
      ['Termin', 'arzt.md'],
      ['Zimmer', 'reise.md'],
      ['Spüler', 'küche.md'],
      ['Beiträge', 'verein.md'],
      ['Pflichtversicherung', 'versicherung.md'],
      ['Monteur', 'heizung.md'],
    ],
    'German forms': [
      ['Wann werden die Zinsen steigen?', 'bank.md'],
      ['Wo ist das Rezept?', 'arzt.md'],
      ['Welche Sicherung läuft in der Nacht?', 'computer.md'],
      ['Passwörter', 'computer.md'],
      ['Datenbanken', 'computer.md'],
      ['neues Gartenhaus', 'garten.md'],
      ['Wer hat den Apfelbaum gepflanzt?', 'garten.md'],
      ['undichte Geschirrspüler', 'küche.md'],
      ['Fahrkarte buchen', 'reise.md'],
      ['Stromrechnungen', 'strom.md'],
      ['Dichtungen', 'küche.md'],
    ],
  },
};

const RUSSIAN: Notes = {
  notes: {
    'сервер.md':
      '# Сервер\n\nРезервное копирование запускается ночью. Копии хранятся на втором диске.\n',
    'пароль.md': '# Доступ\n\nПароль от базы данных изменён. Новый ключ лежит в хранилище.\n',
    'квартира.md':
      '# Квартира\n\nСчёт за электричество приходит в марте, его оплачивает бухгалтер.\n',
    'поездка.md': '# Поездка\n\nБилеты на поезд куплены, гостиница забронирована на две ночи.\n',
    'врач.md': '# Здоровье\n\nЗапись к стоматологу перенесли на пятницу. Рецепт у врача.\n',
    'сад.md': '# Сад\n\nМы посадили яблони и смородину. Забор покрасили зелёной краской.\n',
    'установка.md':
      '# Установка\n\nУстановите пакет и перезапустите службу. Настройки находятся в файле.\n',
    'ошибка.md': '# Ошибки\n\nПри превышении лимита запросов сервер возвращает предупреждение.\n',
  },
  questions: {
    'Russian forms': [
      ['где хранится резервная копия', 'сервер.md'],
      ['новые ключи', 'пароль.md'],
      ['какие пароли', 'пароль.md'],
      ['счета', 'квартира.md'],
      ['купить билет', 'поездка.md'],
      ['гостиницу', 'поездка.md'],
      ['стоматолог', 'врач.md'],
      ['рецепты врачей', 'врач.md'],
      ['яблоня', 'сад.md'],
      ['зеленая краска', 'сад.md'],
      ['установке пакетов', 'установка.md'],
      ['как перезапустить службы', 'установка.md'],
      ['лимит запроса', 'ошибка.md'],
    ],
  },
};

/** Questions about words: misspelt, composed, inflected, and names in programs. One workspace a language. */
export function wordQuestions(folder: string): string {
  const lines = Object.entries({ ENGLISH, GERMAN, RUSSIAN }).flatMap(
    ([name, { notes, questions }]) => {
      const workspace = join(folder, name.toLowerCase());
      mkdirSync(workspace, { recursive: true });
      for (const [file, text] of Object.entries(notes)) writeFileSync(join(workspace, file), text);
      return Object.entries(questions).flatMap(([tag, asked]) =>
        asked.map(([question, note]) =>
          JSON.stringify({ question, workspace, tags: [tag], expect: [note] }),
        ),
      );
    },
  );
  return `${lines.join('\n')}\n`;
}
