package main

import (
	"fmt"
	"math/rand"
	"os"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
)

type deployment struct {
	name                           string
	replicas, load, quota, version int
	changed                        time.Time
}

var (
	lock sync.Mutex
	all  = []*deployment{
		{name: "cart", replicas: 2, load: 230, quota: 9}, {name: "search", replicas: 8, load: 410, quota: 6},
		{name: "checkout", replicas: 3, load: 640, quota: 4}, {name: "mail", replicas: 1, load: 80, quota: 3},
		{name: "images", replicas: 5, load: 300, quota: 6},
	}
)

func controller(name string, period time.Duration, want func(*deployment) (int, bool)) {
	file, _ := os.Create(name + ".log")
	log := logrus.New()
	log.SetOutput(file)
	log.SetFormatter(&logrus.TextFormatter{DisableColors: true, FullTimestamp: true, TimestampFormat: "2006-01-02T15:04:05.000Z07:00"})
	log.WithField("controller", name).Info("started")
	for {
		time.Sleep(period)
		lock.Lock()
		for _, d := range all {
			fields := logrus.Fields{"deployment": d.name, "generation": d.version}
			if n, changes := want(d); changes && n != d.replicas {
				log.WithFields(fields).Infof("replicas %d -> %d", d.replicas, n)
				d.replicas, d.changed = n, time.Now()
				d.version++
			} else if rand.Intn(5) == 0 {
				log.WithFields(fields).Infof("replicas %d as wanted", d.replicas)
			}
		}
		lock.Unlock()
	}
}

func main() {
	for _, d := range all {
		d.changed = time.Now()
	}
	go controller("autoscaler", 450*time.Millisecond, func(d *deployment) (int, bool) { n := (d.load + 99) / 100; return n, n > d.replicas })
	go controller("quota", 620*time.Millisecond, func(d *deployment) (int, bool) { return d.quota, d.replicas > d.quota })
	for _, d := range all {
		for {
			time.Sleep(500 * time.Millisecond)
			lock.Lock()
			settled := time.Since(d.changed) > 2*time.Second
			lock.Unlock()
			if settled {
				fmt.Println(time.Now().Format("15:04:05"), "rollout of", d.name, "settled")
				break
			}
			fmt.Println(time.Now().Format("15:04:05"), "rollout of", d.name, "not settled yet")
		}
	}
}
