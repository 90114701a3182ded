package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/sirupsen/logrus"
)

var log = logrus.New()

func service(name string, open bool) string {
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	if !open {
		listener.Close()
		return "http://" + listener.Addr().String()
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(140 * time.Millisecond)
		fmt.Fprintf(w, "%s ok", name)
	}))
	return "http://" + listener.Addr().String()
}

func call(name, base, path string) error {
	var err error
	for attempt := 1; attempt <= 3; attempt++ {
		begun := time.Now()
		var answer *http.Response
		if answer, err = http.Post(base+path, "application/json", nil); err == nil {
			answer.Body.Close()
			log.WithFields(logrus.Fields{"service": name, "path": path, "status": answer.StatusCode, "ms": time.Since(begun).Milliseconds()}).Info("called")
			return nil
		}
		log.WithFields(logrus.Fields{"service": name, "attempt": attempt}).Warn(err)
		time.Sleep(time.Duration(attempt) * 500 * time.Millisecond)
	}
	return err
}

func main() {
	file, _ := os.Create("settle.log")
	log.SetOutput(file)
	log.SetFormatter(&logrus.JSONFormatter{})
	rates, accounts, ledger := service("rates", true), service("accounts", true), service("ledger", false)
	log.WithField("date", "2024-03-28").Info("settlement started")
	for _, pair := range []string{"EURUSD", "EURCHF", "EURGBP", "EURSEK", "EURPLN", "EURCZK"} {
		call("rates", rates, "/fix/"+pair)
	}
	for batch := 1; batch <= 12; batch++ {
		call("accounts", accounts, fmt.Sprintf("/batches/%d", batch))
	}
	if err := call("ledger", ledger, "/entries"); err != nil {
		log.WithField("service", "ledger").WithError(err).Fatal("settlement not booked")
	}
	log.Info("settlement booked")
}
