package segment

import (
	"errors"
	"sync/atomic"

	"earshot"
)

// MaxQueryBytes is how much memory the groups of one question may take, all files
// together. That is millions of groups: no answer is meant to be that long, but an
// answer that keeps the largest ten has to count them all.
const MaxQueryBytes = 256 << 20

// ErrTooManyGroups is the cause of the error that a question gets whose groups do not
// fit in its Budget.
var ErrTooManyGroups = errors.New("the groups of a question do not fit in its memory")

// A Budget is the memory that a question may take. All files that are counted for the
// question share it, also when they are counted at the same time.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int64) *Budget {
	b := new(Budget)
	b.left.Store(bytes)
	return b
}

// Reserve takes memory for what the one who asked keeps besides counts and sums, and fails as
// counting does.
func (b *Budget) Reserve(bytes int64) error { return (&meter{budget: b}).hold(bytes) }

// A meter is the part of a budget that one piece of work holds.
type meter struct {
	budget *Budget
	held   int64
}

// hold makes it so many bytes. When the budget has not that many, the error is for the
// one who asked.
func (m *meter) hold(bytes int64) error {
	more := bytes - m.held
	m.held = bytes
	if m.budget.left.Add(-more) < 0 && more > 0 {
		return &earshot.Error{
			Kind:    earshot.Invalid,
			Message: "There is too much to count in one answer: select fewer posts, or count by fewer things",
			Err:     ErrTooManyGroups,
		}
	}
	return nil
}
