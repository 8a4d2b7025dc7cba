import { expect, test } from 'vitest';
import { noteText, slackBody } from '../../src/features/notify/note.ts';
import { openReceiver } from '../../src/features/notify/open-receiver.ts';
import { startMailServer } from './mail-server.ts';

/** The texts of files and of the service, in notifications for people. */

const noteOf = (file: string, reason = '') =>
  noteText('import.failed', 0, { id: '20270101-000000-abc', file, reason, rows: { read: 3, added: 0 } });

test('a file name makes no link and calls nobody in Slack', () => {
  const { text, ...rest } = JSON.parse(slackBody(noteOf('<!channel> <https://evil.example|Approve>&lt;.csv', '<@U1>')));
  expect(text).toBe(
    'rollcall: import failed: &lt;!channel&gt; &lt;https://evil.example|Approve&gt;&amp;lt;.csv\n&lt;@U1&gt;\nread 3\n20270101-000000-abc',
  );
  // Neither is `*bold*` read as bold.
  expect(rest).toEqual({ mrkdwn: false });
});

const FORGED = 'a.csv\r\nBcc: eve@evil.example\r\n\r\nApproved\u202e';

test('a file name adds no line to a message in Slack', () => {
  expect(JSON.parse(slackBody(noteOf(FORGED))).text.split('\n')).toEqual([
    'rollcall: import failed: a.csv Bcc: eve@evil.example Approved\\u{202e}',
    'read 3',
    '20270101-000000-abc',
  ]);
});

test('a file name adds no header, recipient or line to an e-mail', async () => {
  const { url, mails } = await startMailServer();
  const receiver = await openReceiver({ address: url }, true);
  await receiver.send({ id: '1', body: noteOf(FORGED) }, new AbortController().signal);

  const [{ to, text } = { to: [], text: '' }] = mails;
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const names = head
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n')
    .map((line) => line.split(':')[0]?.toLowerCase());
  expect([to, names.filter((name) => name === 'bcc')]).toEqual([['ops@example.com'], []]);
  expect(head.replace(/\r\n[ \t]/g, ' ')).toContain(
    'Subject: rollcall: import failed: a.csv Bcc: eve@evil.example Approved\\u{202e}',
  );
  expect(body.trimEnd().split('\r\n')).toEqual(['read 3', '20270101-000000-abc']);
});
