//go:build !linux

package natsfile

func exchange(built, old string) error { return exchangeInSteps(built, old) }
