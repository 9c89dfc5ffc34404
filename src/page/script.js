
'use strict';
(() => {
  const page = document.documentElement;
  const panel = document.getElementById('panel');
  const says = document.getElementById('says');
  const sides = ['src', 'drv'].map(side => [...document.querySelectorAll('.l.' + side)]);
  const order = new Map();
  sides.forEach(side => side.forEach((line, k) => order.set(line, [side, k])));
  const byId = id => document.getElementById(id);
  let held = null;
  let shown = [];

  const made = line => {
    const out = [];
    if (!line) return out;
    for (const part of (line.dataset.d || '').split(' ')) {
      if (!part) continue;
      const ends = part.split('-').map(Number);
      for (let k = ends[0]; ends[ends.length - 1] >= k; k += 1) {
        const one = byId('d' + k);
        if (one) out.push(one);
      }
    }
    return out;
  };
  const partners = line => {
    if (!line.dataset.s) return made(line);
    const source = byId(line.dataset.s);
    return source ? [source, ...made(source).filter(other => other !== line)] : [];
  };

  const paragraph = (text, kind) => {
    const p = document.createElement('p');
    p.textContent = text;
    if (kind) p.className = kind;
    return p;
  };
  const number = line => line.querySelector('.n').textContent;
  const text = line => line.querySelector('code').textContent.trim();

  const tell = line => {
    const parts = [];
    const source = line.dataset.s ? byId(line.dataset.s) : line;
    if (line.classList.contains('drv')) {
      parts.push(paragraph('Line ' + number(line) + ' of the derivative code: ' + text(line), 'title'));
      if (source !== line) parts.push(paragraph('Made for line ' + number(source) + ': ' + text(source)));
      if (source === line) parts.push(paragraph('Made for no line in particular.'));
    }
    if (line.classList.contains('src')) parts.push(paragraph('Line ' + number(line) + ': ' + text(line), 'title'));
    const about = source ? source.querySelector('.x') : null;
    if (about) parts.push(...[...about.childNodes].map(node => node.cloneNode(true)));
    if (!about) parts.push(paragraph('Nothing is known of this line, and no derivative code was made for it.'));
    says.replaceChildren(...parts);
    panel.classList.remove('idle');
    panel.scrollTop = 0;
  };

  const forget = () => {
    shown.forEach(line => line.classList.remove('on', 'to'));
    shown = [];
  };
  const show = line => {
    forget();
    const others = partners(line);
    line.classList.add('on');
    others.forEach(other => other.classList.add('to'));
    shown = [line, ...others];
    tell(line);
  };
  const release = () => {
    held = null;
    forget();
    panel.classList.add('idle');
    says.replaceChildren(paragraph('Point at a line, click it or move to it with the keyboard to see what is known of it.'));
  };
  const inView = line => {
    const box = line.getBoundingClientRect();
    const frame = line.closest('.lines').getBoundingClientRect();
    if (Math.max(0, frame.top) > box.top) return false;
    return Math.min(panel.getBoundingClientRect().top, frame.bottom) >= box.bottom;
  };
  // One line of each side can be reached with the tabulator; the arrow keys do the rest.
  let reachable = [];
  const reach = line => {
    const link = line.querySelector('a.n');
    if (!link) return;
    link.tabIndex = 0;
    reachable.push(link);
  };
  const hold = (line, reveal) => {
    held = line;
    show(line);
    reachable.forEach(link => { link.tabIndex = -1; });
    reachable = [];
    reach(line);
    const other = partners(line)[0];
    if (!other) return;
    reach(other);
    if (reveal) if (!inView(other)) other.scrollIntoView({ block: 'center' });
  };

  const lineOf = node => node.closest ? node.closest('.l') : null;
  // A line on which a statement goes on stands for its first.
  const first = line => line.dataset.c ? byId(line.dataset.c) : line;
  document.addEventListener('click', event => {
    const line = lineOf(event.target);
    if (!line) return;
    if (event.target.closest('a.n')) event.preventDefault();
    if (String(getSelection())) return;
    if (held === first(line)) release();
    else hold(first(line), true);
  });
  document.addEventListener('mouseover', event => {
    const line = lineOf(event.target);
    if (line) if (!held) show(first(line));
  });
  document.addEventListener('focusin', event => {
    const line = lineOf(event.target);
    if (line) if (event.target.matches(':focus-visible')) hold(first(line), false);
  });
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape') { release(); return; }
    const line = lineOf(document.activeElement);
    if (!line) return;
    const place = order.get(line);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    let next = null;
    if (step) {
      for (let k = place[1] + step; place[0][k]; k += step) {
        if (place[0][k].querySelector('a.n')) { next = place[0][k]; break; }
      }
    }
    if (event.key === 'ArrowRight') if (line.classList.contains('src')) next = partners(line)[0];
    if (event.key === 'ArrowLeft') if (line.classList.contains('drv')) next = partners(line)[0];
    if (!next) return;
    event.preventDefault();
    hold(first(next), false);
    next.querySelector('a.n').focus();
  });

  const followAddress = () => {
    const line = byId(location.hash.slice(1));
    if (!line) return;
    if (line.classList.contains('l')) hold(first(line), true);
  };
  addEventListener('hashchange', followAddress);

  document.querySelectorAll('table.sortable').forEach(table => {
    const body = table.tBodies[0];
    table.querySelectorAll('th').forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const up = head.getAttribute('aria-sort') !== 'ascending';
        table.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const key = row => {
          const cell = row.cells[column];
          return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
        };
        const rows = [...body.rows].sort((a, b) => {
          const x = key(a), y = key(b);
          const compared = typeof x === 'number' ? x - y : String(x).localeCompare(String(y));
          return up ? compared : -compared;
        });
        body.append(...rows);
      });
    });
  });

  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    opened.forEach(one => { one.open = true; });
  });
  addEventListener('afterprint', () => opened.forEach(one => { one.open = false; }));

  page.classList.add('js');
  panel.hidden = false;
  release();
  document.querySelectorAll('a.n').forEach(link => { link.tabIndex = -1; });
  sides.forEach(side => {
    const line = side.find(one => one.querySelector('a.n'));
    if (line) reach(line);
  });
  followAddress();
})();
