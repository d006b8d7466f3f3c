import MailComposer from 'nodemailer/lib/mail-composer';
import { escaped } from '../../base/languages/html.js';
import type { Sender } from './smtp-url.js';
import type { MailText, MailTexts } from './texts/index.js';

/** A mail as it is to be sent. */
export interface Letter {
  to: string;
  text: MailText;
  texts: MailTexts;
  /** BCP 47, such as `pt-BR`. */
  language: string;
  /** Where its button leads. */
  link?: string;
}

interface Posted extends Letter {
  id: string;
  from: Sender;
  /** The address of the service. */
  publicUrl: string;
  date: Date;
}

function plainText({ text, texts, link, publicUrl }: Posted): string {
  const parts = [
    texts.hello,
    text.news,
    ...(link ? [link] : []),
    text.advice,
    `-- \n${texts.sender} ${publicUrl}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** No picture, no style sheet, and nothing that is loaded. */
function html({ text, texts, language, link, publicUrl }: Posted): string {
  const button = link && text.button ? `<p><a href="${escaped(link)}">${escaped(text.button)}</a></p>` : '';
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${escaped(text.subject)}</title>
<body><p>${escaped(texts.hello)}</p><p>${escaped(text.news)}</p>${button}<p>${escaped(text.advice)}</p>
<p><small>${escaped(texts.sender)} <a href="${escaped(publicUrl)}">${escaped(publicUrl)}</a></small></p></body></html>
`;
}

/** Everything in it is ours but the recipient's address. An id of its own keeps a mail the same however often it is sent. */
export function messageOf(posted: Posted): Promise<Buffer> {
  const { id, from, to, text, date } = posted;
  return new MailComposer({
    from,
    to: { name: '', address: to },
    subject: text.subject,
    text: plainText(posted),
    html: html(posted),
    date,
    messageId: `<${id}@${from.address.split('@')[1]}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}
