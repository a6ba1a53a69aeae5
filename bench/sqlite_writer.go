package main

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"strings"

	"earshot"
	"earshot/internal/poststore/enginekit"
)

// A sqliteWriter writes posts in transactions.
type sqliteWriter struct {
	engine                   *sqliteEngine
	tx                       *sql.Tx
	text, post, hashtag, doc *sql.Stmt
	id                       int64
	values                   [dimCount][]string
	numbers                  []int64 // of the columns of post
	row                      []any
}

// next commits the current transaction and starts another.
func (w *sqliteWriter) next(ctx context.Context) (err error) {
	if err := w.commit(); err != nil {
		return err
	}
	if w.tx, err = w.engine.conn.BeginTx(ctx, nil); err != nil {
		return err
	}
	marks := strings.Repeat(", ?", dimCount-1+2)
	for _, s := range []struct {
		into **sql.Stmt
		text string
	}{
		{&w.text, "INSERT INTO text(rowid, words) VALUES (?, ?)"},
		{&w.post, "INSERT INTO post VALUES (?" + marks + ")"},
		{&w.hashtag, "INSERT INTO hashtag VALUES (?, ?)"},
		{&w.doc, "INSERT INTO doc VALUES (?, ?, ?, ?, ?)"},
	} {
		if *s.into, err = w.tx.PrepareContext(ctx, s.text); err != nil {
			return errors.Join(err, w.tx.Rollback())
		}
	}
	return nil
}

func (w *sqliteWriter) commit() error {
	if w.tx == nil {
		return nil
	}
	tx := w.tx
	w.tx = nil
	return tx.Commit()
}

func (w *sqliteWriter) add(ctx context.Context, p *earshot.Post) error {
	w.id++
	w.number(p)
	w.row = append(w.row[:0], w.id)
	for _, n := range w.numbers {
		w.row = append(w.row, n)
	}
	if _, err := w.post.ExecContext(ctx, w.row...); err != nil {
		return err
	}
	if _, err := w.text.ExecContext(ctx, w.id, textOf(p)); err != nil {
		return err
	}
	packed := make([]byte, 0, 4*(len(w.numbers)+len(w.values[hashtagDim])))
	for _, n := range w.numbers {
		packed = binary.LittleEndian.AppendUint32(packed, uint32(n))
	}
	for _, name := range w.values[hashtagDim] {
		tag := w.engine.names[hashtagDim].of(name)
		packed = binary.LittleEndian.AppendUint32(packed, uint32(tag))
		if _, err := w.hashtag.ExecContext(ctx, w.id, tag); err != nil {
			return err
		}
	}
	w.engine.packed = append(w.engine.packed, packed)
	_, err := w.doc.ExecContext(ctx, w.id, p.GUID, p.URL, p.Time.Unix(), textOf(p))
	return err
}

// number sets the numbers of p: its dimensions except hashtags, the author and the author's
// followers.
func (w *sqliteWriter) number(p *earshot.Post) {
	values(&w.values, p)
	w.numbers = w.numbers[:0]
	for i := range dims {
		switch {
		case i == hashtagDim:
		case len(w.values[i]) == 0:
			w.numbers = append(w.numbers, 0)
		default:
			w.numbers = append(w.numbers, w.engine.names[i].of(w.values[i][0]))
		}
	}
	w.numbers = append(w.numbers, w.engine.authors.of(enginekit.AuthorKey(p)), p.Followers.Int())
}

// pack writes the table packed.
func (e *sqliteEngine) pack(ctx context.Context) error {
	tx, err := e.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO extra.packed VALUES (?, ?)")
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	for i, codes := range e.packed {
		if _, err := insert.ExecContext(ctx, i+1, codes); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	e.packed = nil
	return tx.Commit()
}
