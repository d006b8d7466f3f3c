import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/config.js';
import { senderIn, smtpServerOf } from '../../src/features/mail/smtp-url.js';
import { readConfig } from '../../src/features/settings.js';

const problemsOf = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

const SECRET = 'hunter2';

describe('SMTP_URL', () => {
  it.each([
    ['smtp://mail', { host: 'mail', port: 587, isSecure: false }],
    ['smtps://mail/', { host: 'mail', port: 465, isSecure: true }],
    ['smtp://[::1]:25?tls=off', { host: '::1', port: 25, isSecure: false, tls: 'off' }],
    ['smtp://a%40b:c%3Ad@mail?tls=require', { user: 'a@b', password: 'c:d', tls: 'require' }],
  ])('is understood: %s', (url, server) => {
    expect(smtpServerOf(url)).toMatchObject(server);
  });

  const AT = `smtp://u:${SECRET}@`;
  it.each([
    ...[`http://u:${SECRET}@mail`, AT, `${AT}mail:70000`, `${AT}mail/inbox`, `smtp://u:${SECRET}%@mail`],
    ...['?tls=maybe', '?ssl=off', '#x'].map((end) => `${AT}mail${end}`),
  ])('is refused in one line without its password: %s', (SMTP_URL) => {
    const problems = problemsOf({ SMTP_URL, MAIL_FROM: 'a@b.c', PUBLIC_URL: 'https://a.example' });
    expect(problems).toEqual([expect.stringMatching(/^SMTP_URL /)]);
    expect(problems.join()).not.toContain(SECRET);
  });

  it('needs a sender, and an address for its links', () => {
    const SMTP_URL = 'smtp://mail';
    const missing = problemsOf({ SMTP_URL }).map((line) => /but (\w+) is not/.exec(line)?.[1]);
    expect(missing).toEqual(['MAIL_FROM', 'PUBLIC_URL']);
    const wrong = problemsOf({ SMTP_URL, MAIL_FROM: 'nobody', PUBLIC_URL: 'https://a.example' });
    expect(wrong).toEqual([expect.stringMatching(/^MAIL_FROM is "nobody"/)]);
    const { warnings } = readConfig({ MAIL_FROM: 'a@b.c' });
    expect(warnings).toEqual([expect.stringMatching(/^MAIL_FROM is set, but SMTP_URL is not/)]);
    expect(senderIn('Our house <a@b.c>')).toEqual({ name: 'Our house', address: 'a@b.c' });
    expect(senderIn('a@b.c')).toEqual({ name: 'Steady', address: 'a@b.c' });
    expect(senderIn('A <a@b.c>\r\nBcc: d@e.f')).toBeUndefined();
  });
});

describe('OIDC_ISSUER', () => {
  it('is on https, unless it is on this machine', () => {
    const of = (OIDC_ISSUER: string) => problemsOf({ OIDC_ISSUER, OIDC_CLIENT_ID: 'steady' });
    for (const fine of ['https://a.example', 'http://localhost:9', 'http://127.0.0.1', 'http://[::1]:9'])
      expect(of(fine), fine).toEqual([]);
    expect(of('http://keycloak:8080')).toEqual([expect.stringContaining('OIDC_ISSUER is on http')]);
    expect(of('keycloak')).toEqual([expect.stringMatching(/^OIDC_ISSUER is "keycloak"/)]);
  });

  it('needs a client, and SIGN_UP=oidc needs it', () => {
    expect(problemsOf({ OIDC_ISSUER: 'https://a.example' })).toEqual([
      'OIDC_ISSUER is set, but OIDC_CLIENT_ID is not.',
    ]);
    expect(problemsOf({ SIGN_UP: 'oidc' })).toEqual([expect.stringContaining('OIDC_ISSUER is not set')]);
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])
      expect(readConfig({ [name]: 'steady' }).warnings).toEqual([
        expect.stringContaining('OIDC_ISSUER is not: nobody can log in at a provider'),
      ]);
  });
});
