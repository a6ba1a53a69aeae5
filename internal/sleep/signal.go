package sleep

import "sync"

// A Signal wakes a loop. The zero value is ready to use.
type Signal struct {
	once sync.Once
	c    chan struct{}
}

// C returns a channel that receives a value after each call of Notify, or one for several calls.
func (s *Signal) C() <-chan struct{} { return s.channel() }

// Notify sends a value to C.
func (s *Signal) Notify() { Notify(s.channel()) }

func (s *Signal) channel() chan struct{} {
	s.once.Do(func() { s.c = make(chan struct{}, 1) })
	return s.c
}

// Notify sends a value on a channel with a buffer of 1, unless one is already pending.
func Notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
