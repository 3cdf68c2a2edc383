import type { EmailTexts } from './email-template.ts';

/** A sign-in of a user from a new location. */
export interface NewLocation {
  readonly kind: 'new-location';
  readonly address: string;
  readonly browser: string;
  readonly system: string;
  readonly at: string;
}

/**
 * `confirm`: sign-up with a new address. `known`: sign-up with the address of a user. `address`: a user confirms the
 * unverified address of their profile.
 */
export function signInTexts(kind: 'confirm' | 'known' | 'address', brand: string): EmailTexts {
  return { confirm, known, address: confirmAddress }[kind](brand);
}

function confirm(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: Confirm your e-mail address`,
      lines: [
        'This e-mail address was used to sign up. If it was you, open the link and enter the password you chose. Your account is then created.',
        'The link works once, for 24 hours. If it was not you, ignore this e-mail: no account is created without your confirmation.',
      ],
      action: 'Confirm e-mail address',
    },
    zh: {
      title: `${brand}：请确认您的邮箱`,
      lines: [
        '有人使用此邮箱注册。如果是您本人，请打开链接并输入您设置的密码，随后即会创建账户。',
        '链接仅可使用一次，24 小时内有效。如果不是您本人，请忽略此邮件：未经您确认，不会创建任何账户。',
      ],
      action: '确认邮箱',
    },
  };
}

function known(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: You already have an account`,
      lines: [
        'This e-mail address was used to sign up, but it already has an account. Nothing has changed.',
        'If it was you, sign in with your existing password. If you forgot it, ask an owner of your account or the operator of this gateway for a reset link.',
      ],
      action: 'Sign in',
    },
    zh: {
      title: `${brand}：您已有账户`,
      lines: [
        '有人使用此邮箱注册，但该邮箱已有账户。账户没有任何变化。',
        '如果是您本人，请使用现有密码登录。如果忘记了密码，请向账户所有者或网关运营方索取重置链接。',
      ],
      action: '登录',
    },
  };
}

function confirmAddress(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: Is this your e-mail address?`,
      lines: [
        'A user who signs in with this e-mail address asked to confirm it. If it was you, open the link in the browser in which you are signed in.',
        'The link works for 24 hours. If it was not you, ignore this e-mail: the link works only for the user who signs in with this address.',
      ],
      action: 'Confirm e-mail address',
    },
    zh: {
      title: `${brand}：这是您的邮箱吗？`,
      lines: [
        '使用此邮箱登录的用户请求确认该邮箱。如果是您本人，请在已登录的浏览器中打开链接。',
        '链接 24 小时内有效。如果不是您本人，请忽略此邮件：链接仅对使用此邮箱登录的用户有效。',
      ],
      action: '确认邮箱',
    },
  };
}

export function newLocation({ address, browser, system, at }: NewLocation, brand: string): EmailTexts {
  const time = `${at.slice(0, 16).replace('T', ' ')} UTC`;
  return {
    en: {
      title: `${brand}: Sign-in from a new location`,
      lines: [
        `Your e-mail address was used to sign in on ${time}, from ${address || 'an unknown IP address'}, with ${browser} on ${system}.`,
        'If it was you, no action is needed. If it was not you, open the link, end all other sessions and change your password.',
        'If you can no longer sign in, ask an owner of your account or the operator of this gateway for a reset link. It ends every session.',
      ],
      action: 'Review your sessions',
    },
    zh: {
      title: `${brand}：新地点登录提醒`,
      lines: [
        `您的邮箱于 ${time} 登录，IP 地址：${address || '未知'}，设备：${system} 上的 ${browser}。`,
        '如果是您本人，无需任何操作。如果不是您本人，请打开链接，结束其他全部会话并更改密码。',
        '如果您已无法登录，请向账户所有者或网关运营方索取重置链接。使用该链接会结束所有会话。',
      ],
      action: '查看登录会话',
    },
  };
}
