import type { EmailTexts } from './email-template.ts';

/** A sign-in from where nobody signed in before. */
export interface NewPlace {
  readonly kind: 'new-place';
  readonly address: string;
  readonly browser: string;
  readonly system: string;
  readonly at: string;
}

/**
 * What a stranger who signed up is written: how to go on, or that they are known here. Both say the same of who asked. And
 * what somebody is written who is known, whose address nobody has confirmed.
 */
export function doorTexts(kind: 'confirm' | 'known' | 'address', brand: string): EmailTexts {
  return { confirm, known, address: confirmAddress }[kind](brand);
}

function confirm(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: confirm your address`,
      lines: [
        'Somebody signed up with this address. If it was you, open the link and give the password you chose: then your account is made.',
        'The link works once, for a day. If it was not you, do nothing: without your answer nothing is made.',
      ],
      action: 'Confirm the address',
    },
    zh: {
      title: `${brand}：请确认您的邮箱`,
      lines: [
        '有人使用此邮箱注册。如果是您本人，请打开链接并输入您设置的密码，账户随即创建。',
        '链接仅可使用一次，一天内有效。如果不是您本人，请忽略此邮件：未经确认不会创建任何账户。',
      ],
      action: '确认邮箱',
    },
  };
}

function known(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: you already have an account`,
      lines: [
        'Somebody signed up with this address, which is known here already. Nothing has changed.',
        'If it was you, sign in with the password you have. If you lost it, ask an owner of your account or whoever runs this gateway for a reset link.',
      ],
      action: 'Sign in',
    },
    zh: {
      title: `${brand}：您已有账户`,
      lines: [
        '有人使用此邮箱注册，而该邮箱已在此注册。一切保持不变。',
        '如果是您本人，请使用现有密码登录。如果忘记密码，请向账户所有者或网关运营方索取重置链接。',
      ],
      action: '登录',
    },
  };
}

function confirmAddress(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: is this your address?`,
      lines: [
        'Somebody who signs in here with this address asks to have it confirmed. If it was you, open the link where you are signed in.',
        'The link works for a day. If it was not you, do nothing: it confirms nothing for anybody but whoever signs in with this address.',
      ],
      action: 'Confirm the address',
    },
    zh: {
      title: `${brand}：这是您的邮箱吗？`,
      lines: [
        '有人以此邮箱登录，并请求确认该邮箱。如果是您本人，请在已登录的浏览器中打开链接。',
        '链接一天内有效。如果不是您本人，请忽略此邮件：除以此邮箱登录的人以外，它不会为任何人确认任何内容。',
      ],
      action: '确认邮箱',
    },
  };
}

/** Who signed in from a new place, and what to do if it was somebody else. */
export function newPlace({ address, browser, system, at }: NewPlace, brand: string): EmailTexts {
  const time = `${at.slice(0, 16).replace('T', ' ')} UTC`;
  return {
    en: {
      title: `${brand}: a sign-in from a new place`,
      lines: [
        `Somebody signed in as you on ${time}, from ${address || 'an unknown address'}, with ${browser} on ${system}.`,
        'If it was you, there is nothing to do. If it was not: open the link, end all other sessions and change your password.',
        'If you cannot sign in any more, ask an owner of your account or whoever runs this gateway for a reset link, which ends every session.',
      ],
      action: 'See where you are signed in',
    },
    zh: {
      title: `${brand}：新地点登录`,
      lines: [
        `${time}，有人以您的身份登录，地址为 ${address || '未知'}，使用 ${system} 上的 ${browser}。`,
        '如果是您本人，无需任何操作。如果不是：请打开链接，结束所有其他会话并更改密码。',
        '如果您已无法登录，请向账户所有者或网关运营方索取重置链接，它将结束所有会话。',
      ],
      action: '查看登录位置',
    },
  };
}
