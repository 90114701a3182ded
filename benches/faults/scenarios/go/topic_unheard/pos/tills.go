package main

import (
	"fmt"
	"math/rand"
	"sync"
	"time"

	"go.uber.org/zap"
)

type event struct {
	till, number int
	cents        int
}

var (
	topics = map[string]chan event{"sales": make(chan event, 16), "stock": make(chan event, 16), "refunds": make(chan event, 16)}
	wait   sync.WaitGroup
)

func consume(log *zap.Logger, topic string) {
	log.Info("consumer subscribed", zap.String("topic", topic))
	count := 0
	for range topics[topic] {
		time.Sleep(15 * time.Millisecond)
		if count++; count%20 == 0 {
			log.Info("consumed", zap.String("topic", topic), zap.Int("count", count))
		}
	}
}

func till(log *zap.Logger, number int) {
	defer wait.Done()
	chance := rand.New(rand.NewSource(int64(number)))
	for receipt := 1; receipt <= 80; receipt++ {
		time.Sleep(time.Duration(60+chance.Intn(120)) * time.Millisecond)
		one := event{number, receipt, 100 + chance.Intn(9000)}
		topic := "sales"
		if chance.Intn(8) == 0 {
			topic = "refunds"
		}
		topics[topic] <- one
		topics["stock"] <- one
		if receipt%4 == 0 || topic == "refunds" {
			log.Info("receipt", zap.Int("till", number), zap.Int("number", receipt), zap.Int("cents", one.cents),
				zap.String("topic", topic), zap.Int("depth", len(topics[topic])))
		}
	}
	log.Info("till closed", zap.Int("till", number))
}

func main() {
	config := zap.NewProductionConfig()
	config.OutputPaths = []string{"tills.jsonl"}
	config.Sampling = nil
	log, _ := config.Build()
	log.Info("branch opened", zap.Int("tills", 5), zap.Strings("topics", []string{"sales", "stock", "refunds"}))
	for _, topic := range []string{"sales", "stock"} {
		go consume(log.Named("bus"), topic)
	}
	for number := 1; number <= 5; number++ {
		wait.Add(1)
		go till(log.Named("till"), number)
	}
	go func() {
		for range time.Tick(2 * time.Second) {
			log.Named("bus").Info("alive", zap.String("uptime", fmt.Sprint(time.Since(begun).Round(time.Second))))
		}
	}()
	wait.Wait()
	log.Info("branch closed")
}

var begun = time.Now()
