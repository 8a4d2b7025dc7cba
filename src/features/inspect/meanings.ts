import { mentions } from '../../imports/read/column-words.ts';

/**
 * Words of files and what they say about a person, in English, German, Spanish, French, Italian and Portuguese: one table
 * for scopes and for states. A word that is not in it is left to a person. A word with * says the same in the name of a column.
 */
export type Meaning = 'admin' | 'moderator' | 'participant' | 'ban' | 'here' | 'gone' | 'waiting';

const WORDS: Readonly<Record<Meaning, string>> = {
  admin:
    'owner, co-owner, admin, administrator, superadmin, inhaber, eigentümer, besitzer, propietario, dueño, administrador, propriétaire, administrateur, administratrice, proprietario, amministratore, amministratrice, titolare, dono',
  moderator:
    'moderator, manager, teacher, editing teacher, editingteacher, non-editing teacher, teaching assistant, ta, professor, faculty, instructor, leader, lead, maintainer, leiter, leitung, gruppenleiter, lehrer, lehrkraft, dozent, trainer, profesor, docente, líder, moderador, moderadora, professeur, coach, enseignant, modérateur, modératrice, animateur, insegnante, professore, moderatore, moderatrice',
  participant:
    'member, participant, user, student, learner, pupil, attendee, guest, regular, regular user, normal, basic, subscriber, reader, read, writer, write, viewer, view, editor, contributor, author, reporter, developer, agent, player, spieler, mitglied, teilnehmer, schüler, benutzer, gast, miembro, participante, alumno, alumna, estudiante, usuario, membre, étudiant, élève, utilisateur, membro, partecipante, studente, alunno, alunna, utente, socio, aluno, aluna, usuário',
  ban: 'ban, banned, verbannt, gesperrt, baneado, banni, bannato, banido',
  here: 'active*, enabled*, accepted*, approved*, confirmed*, join, joined, attending*, going, checked in, registered*, enrolled*, current, subscribed, ok, yes, available*, aktiv*, bestätigt, angemeldet, activo*, activa*, vigente, actif*, attivo*, attiva*, iscritto, ativo*, ativa*',
  gone: 'inactive*, lapsed, deleted*, disabled*, suspended*, completed, declined*, rejected, archived*, terminated*, not attending, not going, no show, cancelled*, canceled*, left, leave, leaver*, outcast, removed*, blocked*, expired*, locked*, locked out, deprovisioned, former, ex, resigned*, retired, withdrawn*, dropped*, unsubscribed*, cleaned, bounced, revoked*, tobedeleted, to be deleted, deactivated*, concluded, unenrolled, departed, dismissed, expelled, deceased*, former member, ex member, no, unavailable, inaktiv*, gelöscht*, gekündigt*, ausgetreten*, ausgeschieden*, ausgeschlossen, ehemalig, ehemalige, ehemaliger, ehemaliges mitglied, verstorben*, deaktiviert*, entfernt, storniert, abgemeldet, abgelehnt, beendet, archiviert*, inactivo*, inactiva, eliminado*, eliminada, suspendido*, suspendida, bloqueado*, bloqueada, baja*, de baja, dado de baja, dada de baja, retirado, retirada, rechazado, expulsado, cancelado, cancelada, borrado, desactivado*, desactivada, fallecido, inactif*, supprimé*, suspendu*, désactivé*, bloqué*, parti, résilié*, radié*, démissionnaire, ancien, ancien membre, ancienne, annulé, refusé, expiré, exclu, sorti, décédé, inattivo*, inattiva, eliminato*, sospeso*, sospesa, disattivato*, bloccato*, cessato, dimesso, dimissionario, scaduto, rimosso, cancellato, escluso, ex socio, inativo*, inativa, excluído*, suspenso*, desativado*, desligado, removido, saiu',
  waiting:
    'pending, invited, invite sent, onboarding, waitlisted, waitlist, waiting, staged, provisioned, unconfirmed, requested, maybe, applicant, ausstehend, eingeladen, warteliste, angefragt, beantragt, pendiente, en attente, in attesa, pendente',
};

/** Words in front of a role: `channel_admin`, "Primary owner". The admin of a site or an organisation is none of each group. */
const OF = /^(?:(?:group|channel|room|course|class|primary|role|gruppen|raum|kurs) )+/;

/** Small letters without accents; one space between words. */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(' ')
    .trim();
}

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(WORDS).flatMap(([meaning, words]) =>
    words.split(', ').map((word) => [plain(word), meaning as Meaning]),
  ),
);

/** Whether a text, as `plain` writes it, is one of these words. */
export function isOneOf(list: string): (text: string) => boolean {
  const words = new Set(list.split(', '));
  return (text) => words.has(plain(text));
}

function inNames(meaning: Meaning, others: string) {
  const marked = WORDS[meaning].split(', ').filter((word) => word.endsWith('*'));
  return mentions([...marked.map(plain), others].join(', '));
}

/** Whether the name of a column, as `plain` writes it, says that its people have gone, or that they are here. */
export const saysGone = inNames(
  'gone',
  'delete, deletion, remove, suspension, deactivation, banned, gesperrt, bot, pending, block credential, block sign…',
);
export const saysHere = inNames('here', 'activated, availability, aktiviert, freigeschaltet');

/** Endings of plurals and feminine forms, and what is in their place. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ ?e?s$/, ''],
  [/s$/, ''],
  [/ ?in(?:nen)?$/, ''],
  [/(?: [ea]|a)$/, ''],
  [/as?$/, 'o'],
];

/** The meaning of a word; plurals and feminine forms (`Leiterin`, `Lehrer*innen`) are the same word. */
export function meaningOf(text: string): Meaning | undefined {
  const word = plain(text);
  if (/^pending\b/.test(word)) return 'waiting';
  const forms = [word, word.replace(OF, '')].flatMap((form) => [
    form,
    ...ENDINGS.map((ending) => form.replace(...ending)),
  ]);
  return forms.map((form) => MEANINGS.get(form)).find((meaning) => meaning !== undefined);
}

/** Whether a meaning says that the person is no member (any more, or yet). */
export function isOut(meaning: Meaning | undefined): boolean {
  return meaning === 'gone' || meaning === 'waiting';
}

const NO = 'no, kein, keine, sin, ningun, aucun, sans, nessun, senza, nenhum, sem'.split(', ');
const GROUP =
  'group, groups, team, teams, room, rooms, channel, channels, class, classes, course, gruppe, gruppen, klasse, kurs, grupo, grupos, equipo, groupe, groupes, equipe, gruppo, gruppi, squadra'.split(
    ', ',
  );
const saysNothing = isOneOf(
  [
    'null, nil, nan, none, undefined, n a, not assigned, not set, unassigned, kein, keine, keines, keins, ningun, ninguna, ninguno, aucun, aucune, nessun, nessuna, nessuno, nenhum, nenhuma',
    ...NO.flatMap((no) => GROUP.map((group) => `${no} ${group}`)),
  ].join(', '),
);

/** Whether a text stands for no value: `NULL`, "No groups". */
export function isNothing(text: string): boolean {
  return /^-+$/.test(text.trim()) || saysNothing(text);
}
